//! DuckDB's library, as far as a script needs it: a file is opened, statements run, the file is closed.
//!
//! Apart from what `connect` has for reading, for the reason that the whole room is: a mistake there mustn't be hidden
//! by the same mistake here. Invariant: a library stays loaded until the process ends, because threads of the engine may
//! still be at work in it.

use std::ffi::{CStr, CString, c_char, c_void};
use std::path::Path;
use std::ptr::null_mut;

/// What a function gives back where all went well: `DuckDBSuccess`.
const SUCCESS: u32 = 0;

/// A pointer to something of the engine's.
type Raw = *mut c_void;

/// `duckdb_result`: five fields that are no longer in use, and the result.
#[repr(C)]
struct RawResult {
    unused: [u64; 3],
    unused_pointers: [Raw; 2],
    internal: Raw,
}

/// The functions that are used, by their names without `duckdb_`.
struct Functions {
    open: unsafe extern "C" fn(*const c_char, *mut Raw) -> u32,
    close: unsafe extern "C" fn(*mut Raw),
    connect: unsafe extern "C" fn(Raw, *mut Raw) -> u32,
    disconnect: unsafe extern "C" fn(*mut Raw),
    query: unsafe extern "C" fn(Raw, *const c_char, *mut RawResult) -> u32,
    result_error: unsafe extern "C" fn(*mut RawResult) -> *const c_char,
    destroy_result: unsafe extern "C" fn(*mut RawResult),
}

/// A loaded library.
#[derive(Clone, Copy)]
pub(super) struct Library(&'static Functions);

impl Library {
    pub(super) fn load(path: &Path) -> Result<Self, String> {
        // SAFETY: loading runs the library's own initialization; who runs the tests has named it.
        let file = unsafe { libloading::Library::new(path) }.map_err(|error| error.to_string())?;
        let file: &'static libloading::Library = Box::leak(Box::new(file));
        let functions = functions_of(file).map_err(|error| error.to_string())?;
        Ok(Self(Box::leak(Box::new(functions))))
    }

    /// Opens a database, which is made where there is none.
    pub(super) fn open(self, path: &Path) -> Result<Connection, String> {
        let path = c_text(path.as_os_str().as_encoded_bytes())?;
        let mut connection = Connection { functions: self.0, database: null_mut(), raw: null_mut() };
        // SAFETY: the path lives until the call is over, and `Connection` gives back the handle.
        if unsafe { (self.0.open)(path.as_ptr(), &mut connection.database) } != SUCCESS {
            return Err(format!("DuckDB can't open {}", path.to_string_lossy()));
        }
        // SAFETY: the database was opened above, and `Connection` gives back the handle.
        if unsafe { (self.0.connect)(connection.database, &mut connection.raw) } != SUCCESS {
            return Err("DuckDB makes no connection".to_owned());
        }
        Ok(connection)
    }
}

fn functions_of(file: &'static libloading::Library) -> Result<Functions, libloading::Error> {
    // SAFETY: the types are those of DuckDB's header, whose functions keep theirs from version to version; the file is
    // never unloaded.
    unsafe {
        Ok(Functions {
            open: *file.get("duckdb_open")?,
            close: *file.get("duckdb_close")?,
            connect: *file.get("duckdb_connect")?,
            disconnect: *file.get("duckdb_disconnect")?,
            query: *file.get("duckdb_query")?,
            result_error: *file.get("duckdb_result_error")?,
            destroy_result: *file.get("duckdb_destroy_result")?,
        })
    }
}

/// An open database with a connection to it; closed with the value.
pub(super) struct Connection {
    functions: &'static Functions,
    database: Raw,
    raw: Raw,
}

impl Connection {
    pub(super) fn run(&self, sql: &str) -> Result<(), String> {
        let sql = c_text(sql.as_bytes())?;
        let mut result = RawResult { unused: [0; 3], unused_pointers: [null_mut(); 2], internal: null_mut() };
        // SAFETY: the connection is open, and text and result live until the call is over.
        let state = unsafe { (self.functions.query)(self.raw, sql.as_ptr(), &mut result) };
        let outcome = if state == SUCCESS { Ok(()) } else { Err(self.error(&mut result)) };
        // SAFETY: the result is from the call above, and destroyed here only; one of a failure has to be as well.
        unsafe { (self.functions.destroy_result)(&mut result) };
        outcome
    }

    fn error(&self, result: &mut RawResult) -> String {
        // SAFETY: the result has not been destroyed, and its text lives as long.
        let text = unsafe { (self.functions.result_error)(result) };
        if text.is_null() {
            return "DuckDB says nothing of what went wrong".to_owned();
        }
        // SAFETY: texts of the C interface end with a zero byte.
        unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        // SAFETY: both handles are from the functions of `open`, or null, which is let be, and given back here only.
        unsafe {
            (self.functions.disconnect)(&mut self.raw);
            (self.functions.close)(&mut self.database);
        }
    }
}

fn c_text(bytes: &[u8]) -> Result<CString, String> {
    CString::new(bytes).map_err(|_| "a text with a zero byte has no place in C".to_owned())
}
