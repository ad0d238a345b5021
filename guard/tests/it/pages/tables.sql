-- Tables of the pages' examples, each for a rule that the specs' tables have nothing for.
CREATE TABLE logins (login_id INTEGER PRIMARY KEY, user TEXT NOT NULL);
CREATE TABLE contacts (contact_id INTEGER PRIMARY KEY, name TEXT NOT NULL);
CREATE TABLE films (film_id INTEGER PRIMARY KEY, title TEXT NOT NULL);
CREATE TABLE actors (actor_id INTEGER PRIMARY KEY, stage_name TEXT NOT NULL);
CREATE TABLE film_actors (
    film_id INTEGER NOT NULL REFERENCES films (film_id),
    actor_id INTEGER NOT NULL REFERENCES actors (actor_id),
    PRIMARY KEY (film_id, actor_id)
);
CREATE TABLE customer_figures (
    customer_id INTEGER PRIMARY KEY REFERENCES customers (customer_id),
    first_order_on DATE NOT NULL,
    last_order_on DATE NOT NULL,
    order_count INTEGER NOT NULL,
    average_total REAL NOT NULL,
    largest_total REAL NOT NULL,
    lifetime_total REAL NOT NULL
);
INSERT INTO customer_figures VALUES
    (1, '2024-01-05', '2024-02-11', 2, 100.25, 120.5, 200.5), (2, '2024-02-14', '2024-02-14', 1, 40, 40, 40),
    (4, '2024-03-01', '2024-03-01', 1, 300, 300, 300);
INSERT INTO logins VALUES (1, 'ada'), (2, 'ben'), (3, 'ada');
INSERT INTO contacts VALUES (1, 'Ida'), (2, 'Jon');
INSERT INTO films VALUES (1, 'Harbour'), (2, 'Tide');
INSERT INTO actors VALUES (1, 'Kim'), (2, 'Lee'), (3, 'Max');
INSERT INTO film_actors VALUES (1, 1), (1, 2), (2, 3);
