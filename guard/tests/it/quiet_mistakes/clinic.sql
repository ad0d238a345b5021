CREATE TABLE patients (
    patient_id INTEGER PRIMARY KEY, born_in TEXT NOT NULL, insured BOOLEAN NOT NULL, birth_year INTEGER NOT NULL
);
CREATE TABLE visits (
    visit_id INTEGER PRIMARY KEY,
    patient_id INTEGER NOT NULL REFERENCES patients (patient_id),
    arrived_at TIMESTAMP NOT NULL,
    billed_on DATE NOT NULL,
    minutes INTEGER NOT NULL,
    fee_cents INTEGER NOT NULL,
    weight_kg REAL NOT NULL,
    triage TEXT NOT NULL,
    state TEXT NOT NULL
);
CREATE TABLE ward_days (
    ward TEXT NOT NULL, day DATE NOT NULL, beds_on_hand INTEGER NOT NULL, headcount INTEGER NOT NULL,
    admitted INTEGER NOT NULL, PRIMARY KEY (ward, day)
);
CREATE TABLE patient_facts (
    patient_id INTEGER PRIMARY KEY REFERENCES patients (patient_id),
    first_visit_at TIMESTAMP, last_visit_at TIMESTAMP, visits_total INTEGER, fees_total_cents INTEGER,
    lifetime_minutes INTEGER, average_minutes REAL, days_since_last_visit INTEGER, registered_on DATE
);
INSERT INTO patients VALUES
    (1, 'DE', 1, 1980), (2, 'Germany', 0, 1991), (3, 'DEU', 1, 2001), (4, 'FR', 1, 1975), (5, 'DE', 0, 1966);
INSERT INTO visits VALUES
    (1, 1, '2026-01-03 09:15:00', '2026-01-03', 35, 12550, 71.5, 'A', 'closed'),
    (2, 2, '2026-02-11 14:40:00', '2026-02-12', 20, 8075, 64.0, 'B', 'Closed'),
    (3, 3, '2026-03-31 23:05:30', '2026-04-01', 55, 20125, 58.2, 'A', 'CLOSED '),
    (4, 4, '2026-04-17 08:00:00', '2026-04-17', 15, 4550, 90.1, 'a', 'no show'),
    (5, 5, '2026-06-30 18:45:00', '2026-06-30', 42, 15110, 80.7, 'C', 'no-show'),
    (6, 1, '2026-07-09 11:20:00', '2026-07-10', 25, 9900, 71.0, 'A-', 'open');
INSERT INTO ward_days VALUES
    ('north', '2026-06-01', 12, 30, 4), ('south', '2026-06-01', 9, 22, 2), ('north', '2026-06-02', 11, 30, 5),
    ('south', '2026-06-02', 9, 21, 1), ('north', '2026-07-01', 14, 31, 3), ('south', '2026-07-01', 8, 20, 6);
INSERT INTO patient_facts VALUES
    (1, '2026-01-03 09:15:00', '2026-07-09 11:20:00', 2, 22450, 60, 30.0, 12, '2025-11-02'),
    (2, '2026-02-11 14:40:00', '2026-02-11 14:40:00', 1, 8075, 20, 20.0, 150, '2026-02-01'),
    (5, '2026-06-30 18:45:00', '2026-06-30 18:45:00', 1, 15110, 42, 42.0, 21, '2026-06-30');
