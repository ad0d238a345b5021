-- expect: deny(executable_comment)
SELECT 1 /*! x */
