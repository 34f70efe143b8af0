-- What results, A, B … say of themselves.

CREATE TABLE says(side TEXT, name TEXT, value TEXT, UNIQUE(side, name, value) ON CONFLICT IGNORE);

-- A variable of NCCL in a side's environment.
CREATE TABLE variable(side TEXT, name TEXT, value TEXT, UNIQUE(side, name) ON CONFLICT REPLACE);

-- Those that are compared, in their order.
CREATE VIEW fact_name(nth, name) AS
VALUES (1, 'experiment'), (2, 'program'), (3, 'measured'), (4, 'backend'), (5, 'ranks'),
       (6, 'counts'), (7, 'library'), (8, 'machine'), (9, 'driver'), (10, 'load'), (11, 'layout');

-- All that a side says of one.
CREATE VIEW stated AS
SELECT side, name, substr(group_concat(value, ', '), 1, 95) value
FROM (SELECT * FROM says ORDER BY rowid) GROUP BY side, name;
