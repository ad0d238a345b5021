-- expect: deny(executable_comment)
-- dialect: mysql
SELECT 1 /*! , SLEEP(9) */
--§
SELECT 1 /*!50000 UNION SELECT 2 */
--§
/*!SELECT 1*/
--§
SELECT 1 /*M! UNION SELECT 2 */
--§
SELECT 1 /*!99999 x */
