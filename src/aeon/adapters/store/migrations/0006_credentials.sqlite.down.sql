-- The record has no credentials.

DROP TABLE credentials;
