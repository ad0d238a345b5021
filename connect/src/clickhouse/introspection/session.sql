-- What the user's profile says about the settings that frame our statements, whether the user may change them, and the
-- bounds within which; the server's version in the row without a name.
SELECT name, value, readonly, least, most
FROM (
    SELECT name, toString(value) AS value, toString(readonly) AS readonly, toString(min) AS least, toString(max) AS most
    FROM system.settings
    WHERE name IN ({names})
    UNION ALL
    SELECT '' AS name, version() AS value, '1' AS readonly, NULL AS least, NULL AS most
)
ORDER BY name
