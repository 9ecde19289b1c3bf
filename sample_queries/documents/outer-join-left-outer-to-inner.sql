-- title: Left outer to inner
-- about: A filter on the right side of a left outer join.
-- catalogue: documents
-- rules: EliminateOuterJoin
CREATE OR REPLACE TEMPORARY VIEW ds1 AS SELECT * FROM VALUES ('Michael', 9), ('Andy', 7), ('Justin', 11) AS v(id, age);
CREATE OR REPLACE TEMPORARY VIEW ds2 AS SELECT * FROM VALUES ('Michael', 29), ('Andy2', 30), ('Justin2', 11) AS v(no, age);
SELECT *
FROM ds1
LEFT OUTER JOIN ds2 ON ds1.id = ds2.no
WHERE ds2.age >= 20;
