-- The number is another branch's.

SELECT 1;
