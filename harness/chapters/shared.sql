-- What several chapters ask.

-- Variants that the experiment's file asks for.
CREATE VIEW asked AS
SELECT * FROM variant WHERE role NOT IN ('again', 'limit');

-- Facts that are numbers.
CREATE VIEW figure AS
SELECT trial, worker, key, CAST(value AS REAL) x
FROM fact
WHERE value GLOB '[0-9]*' AND value NOT GLOB '*[^0-9.]*';

-- Cells of the timed pass, with their variant and block.
CREATE VIEW timed AS
SELECT cell.*, variant, block FROM cell JOIN trial ON trial.id = cell.trial
WHERE pass = 'timed' AND error IS NULL;

-- What a variant's first worker said first.
CREATE VIEW first_fact AS
SELECT variant, key, value, min(trial) trial
FROM fact JOIN trial ON trial.id = fact.trial
WHERE worker = 0 AND value <> ''
GROUP BY variant, key;
