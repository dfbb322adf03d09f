-- The record has no accounts and no identities.

DROP TABLE identities;
DROP TABLE accounts;
