//! Databases, connections, statements and results, each given back when its owner is dropped.

use std::ffi::CString;
use std::path::Path;
use std::ptr::null_mut;
use std::sync::Arc;

use super::library::{Library, Raw, RawResult, SUCCESS, text};
use super::vector::{Cell, Shape, Vector, cell};

/// The engine's words, which begin with the kind of the error: `Binder Error: …`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct EngineError(pub(crate) String);

/// An open file.
pub(crate) struct Database {
    library: &'static Library,
    raw: Raw,
}

// SAFETY: the engine's databases may be used by all threads at a time.
unsafe impl Send for Database {}
// SAFETY: as above.
unsafe impl Sync for Database {}

impl Database {
    /// Opens the file with these settings.
    pub(crate) fn open(library: &'static Library, path: &Path, settings: &[(&str, &str)]) -> Result<Self, EngineError> {
        let path = c_text(path.as_os_str().as_encoded_bytes())?;
        let mut config = Config { library, raw: null_mut() };
        // SAFETY: `raw` is a place for the handle, which `Config` gives back.
        if unsafe { (library.create_config)(&mut config.raw) } != SUCCESS {
            return Err(EngineError("the engine has no memory for its settings".to_owned()));
        }
        for (name, value) in settings {
            let (c_name, c_value) = (c_text(name.as_bytes())?, c_text(value.as_bytes())?);
            // SAFETY: the handle was made above, and the texts live until the call is over.
            if unsafe { (library.set_config)(config.raw, c_name.as_ptr(), c_value.as_ptr()) } != SUCCESS {
                let version = library.version();
                return Err(EngineError(format!("the DuckDB library {version} doesn't know the setting `{name}`")));
            }
        }
        let (mut raw, mut error) = (null_mut(), null_mut());
        // SAFETY: all four live until the call is over; the settings are copied.
        let state = unsafe { (library.open_ext)(path.as_ptr(), &mut raw, config.raw, &mut error) };
        let reason = library.owned_text(error);
        if state != SUCCESS {
            return Err(EngineError(reason));
        }
        Ok(Self { library, raw })
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        // SAFETY: the handle is from `open_ext` and closed here only.
        unsafe { (self.library.close)(&mut self.raw) };
    }
}

struct Config {
    library: &'static Library,
    raw: Raw,
}

impl Drop for Config {
    fn drop(&mut self) {
        // SAFETY: the handle is from `create_config`, or null, which is let be.
        unsafe { (self.library.destroy_config)(&mut self.raw) };
    }
}

/// A connection to a database, which stays open as long.
pub(crate) struct Connection {
    library: &'static Library,
    raw: Raw,
    _database: Arc<Database>,
}

// SAFETY: the engine locks a connection while it is used, and `interrupt` is made for other threads.
unsafe impl Send for Connection {}
// SAFETY: as above.
unsafe impl Sync for Connection {}

impl Connection {
    pub(crate) fn open(database: &Arc<Database>) -> Result<Self, EngineError> {
        let (library, mut raw) = (database.library, null_mut());
        // SAFETY: the database is open, and `raw` is a place for the handle.
        if unsafe { (library.connect)(database.raw, &mut raw) } != SUCCESS {
            return Err(EngineError("the engine makes no connection".to_owned()));
        }
        Ok(Self { library, raw, _database: Arc::clone(database) })
    }

    /// Stops the statement that runs, if one does.
    pub(crate) fn interrupt(&self) {
        // SAFETY: the connection is open; any thread may call this at any time.
        unsafe { (self.library.interrupt)(self.raw) };
    }

    /// Takes a text apart into its statements, none of which runs.
    fn extract(&self, sql: &str) -> Result<Extracted<'_>, EngineError> {
        let sql = c_text(sql.as_bytes())?;
        let mut extracted = Extracted { connection: self, raw: null_mut(), count: 0 };
        // SAFETY: the connection is open, the text lives until the call is over, and `Extracted` gives back the handle.
        extracted.count = unsafe { (self.library.extract_statements)(self.raw, sql.as_ptr(), &mut extracted.raw) };
        // SAFETY: the handle is from the call above.
        let error = text(unsafe { (self.library.extract_statements_error)(extracted.raw) });
        if error.is_empty() { Ok(extracted) } else { Err(EngineError(error)) }
    }

    /// Compiles a text that holds one statement; the second value is how many it holds.
    pub(crate) fn prepare(&self, sql: &str) -> Result<(Option<Statement<'_>>, u64), EngineError> {
        let extracted = self.extract(sql)?;
        if extracted.count != 1 {
            return Ok((None, extracted.count));
        }
        let mut statement = Statement { connection: self, raw: null_mut() };
        // SAFETY: connection and extracted statements are alive, 0 is below their count, and `Statement` gives back the
        // handle, also that of a failure.
        let state =
            unsafe { (self.library.prepare_extracted_statement)(self.raw, extracted.raw, 0, &mut statement.raw) };
        if state != SUCCESS {
            // SAFETY: the handle is from the call above; of a null pointer the engine says nothing.
            return Err(EngineError(text(unsafe { (self.library.prepare_error)(statement.raw) })));
        }
        Ok((Some(statement), 1))
    }
}

#[cfg(test)]
impl Connection {
    /// Runs statements one after the other: how tests make their databases.
    pub(crate) fn run_script(&self, sql: &str) -> Result<(), EngineError> {
        let extracted = self.extract(sql)?;
        for place in 0..extracted.count {
            let mut statement = Statement { connection: self, raw: null_mut() };
            // SAFETY: as in `prepare`; `place` is below the count.
            let state = unsafe {
                (self.library.prepare_extracted_statement)(self.raw, extracted.raw, place, &mut statement.raw)
            };
            if state != SUCCESS {
                // SAFETY: as in `prepare`.
                return Err(EngineError(text(unsafe { (self.library.prepare_error)(statement.raw) })));
            }
            let mut rows = statement.run()?;
            while rows.next_chunk()?.is_some() {}
        }
        Ok(())
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        // SAFETY: the handle is from `connect` and given back here only.
        unsafe { (self.library.disconnect)(&mut self.raw) };
    }
}

struct Extracted<'c> {
    connection: &'c Connection,
    raw: Raw,
    count: u64,
}

impl Drop for Extracted<'_> {
    fn drop(&mut self) {
        // SAFETY: the handle is from `extract_statements`.
        unsafe { (self.connection.library.destroy_extracted)(&mut self.raw) };
    }
}

/// What a compiled statement is, as the engine has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StatementKind {
    Select,
    Explain,
    Other,
}

/// A compiled statement.
pub(crate) struct Statement<'c> {
    connection: &'c Connection,
    raw: Raw,
}

impl<'c> Statement<'c> {
    pub(crate) fn kind(&self) -> StatementKind {
        // SAFETY: the handle is that of a compiled statement. The numbers are those of `duckdb_statement_type`.
        match unsafe { (self.connection.library.prepared_statement_type)(self.raw) } {
            1 => StatementKind::Select,
            4 => StatementKind::Explain,
            _ => StatementKind::Other,
        }
    }

    /// Sets the parameters `$1`, `$2` … to texts.
    pub(crate) fn bind(&self, parameters: &[Option<String>]) -> Result<(), EngineError> {
        let library = self.connection.library;
        for (parameter, place) in parameters.iter().zip(1..) {
            // SAFETY: the handle is that of a compiled statement; the engine copies the text, and refuses a place that
            // the statement doesn't have.
            let state = unsafe {
                match parameter {
                    None => (library.bind_null)(self.raw, place),
                    Some(text) => {
                        (library.bind_varchar_length)(self.raw, place, text.as_ptr().cast(), text.len() as u64)
                    }
                }
            };
            if state != SUCCESS {
                return Err(EngineError(format!("the statement takes no parameter {place}")));
            }
        }
        Ok(())
    }

    /// Starts the statement; its rows are made as they are asked for.
    pub(crate) fn run(&self) -> Result<Rows<'c>, EngineError> {
        let library = self.connection.library;
        let mut raw = RawResult::empty();
        // SAFETY: the handle is that of a compiled statement; `Rows` gives back the result, also that of a failure.
        let state = unsafe { (library.execute_prepared_streaming)(self.raw, &mut raw) };
        let mut rows = Rows { connection: self.connection, raw, names: Vec::new(), shapes: Vec::new() };
        if state != SUCCESS {
            return Err(rows.error().unwrap_or_else(|| EngineError("the engine gives no reason".to_owned())));
        }
        // SAFETY: the result is alive, and the places are below its number of columns; every type is given back.
        unsafe {
            for place in 0..(library.column_count)(&mut rows.raw) {
                rows.names.push(text((library.column_name)(&mut rows.raw, place)));
                let mut kind = (library.column_logical_type)(&mut rows.raw, place);
                rows.shapes.push(Shape::of(library, kind));
                (library.destroy_logical_type)(&mut kind);
            }
        }
        Ok(rows)
    }
}

impl Drop for Statement<'_> {
    fn drop(&mut self) {
        // SAFETY: the handle is from `prepare_extracted_statement`.
        unsafe { (self.connection.library.destroy_prepare)(&mut self.raw) };
    }
}

/// The rows of a statement that runs.
pub(crate) struct Rows<'c> {
    connection: &'c Connection,
    raw: RawResult,
    names: Vec<String>,
    shapes: Vec<Shape>,
}

impl Rows<'_> {
    /// The names of the columns.
    pub(crate) fn names(&self) -> &[String] {
        &self.names
    }

    /// The first column of a type that can't be read here.
    pub(crate) fn unreadable(&self) -> Option<&str> {
        let found = self.names.iter().zip(&self.shapes).find(|(_, shape)| !shape.is_known());
        found.map(|(name, _)| name.as_str())
    }

    /// The next rows, some two thousand at most; `None` behind the last.
    pub(crate) fn next_chunk(&mut self) -> Result<Option<Chunk<'_>>, EngineError> {
        let library = self.connection.library;
        // SAFETY: the result is alive; the function takes a copy of it and leaves it as it is.
        let raw = unsafe { (library.fetch_chunk)(self.raw) };
        if raw.is_null() {
            return self.error().map_or(Ok(None), Err);
        }
        let mut chunk = Chunk { library, raw, rows: 0, vectors: Vec::new(), shapes: &self.shapes };
        // SAFETY: the chunk is alive and has a vector for each column of its result.
        unsafe {
            chunk.rows = (library.data_chunk_get_size)(raw) as usize;
            for place in 0..self.shapes.len() as u64 {
                let vector = (library.data_chunk_get_vector)(raw, place);
                chunk.vectors.push(Vector::new(library, vector, chunk.rows));
            }
        }
        Ok((chunk.rows > 0).then_some(chunk))
    }

    fn error(&mut self) -> Option<EngineError> {
        // SAFETY: the result is alive.
        let error = text(unsafe { (self.connection.library.result_error)(&mut self.raw) });
        (!error.is_empty()).then_some(EngineError(error))
    }
}

impl Drop for Rows<'_> {
    fn drop(&mut self) {
        // SAFETY: the result is from `execute_prepared_streaming` and given back here only.
        unsafe { (self.connection.library.destroy_result)(&mut self.raw) };
    }
}

/// Some rows of a result.
pub(crate) struct Chunk<'r> {
    library: &'static Library,
    raw: Raw,
    rows: usize,
    vectors: Vec<Vector>,
    shapes: &'r [Shape],
}

impl Chunk<'_> {
    /// How many rows.
    pub(crate) fn rows(&self) -> usize {
        self.rows
    }

    /// The cells of a row, column by column.
    pub(crate) fn row(&self, row: usize) -> impl Iterator<Item = Cell<'_>> {
        self.shapes.iter().zip(&self.vectors).map(move |(shape, vector)| cell(shape, *vector, row))
    }
}

impl Drop for Chunk<'_> {
    fn drop(&mut self) {
        // SAFETY: the chunk is from `fetch_chunk`; every cell borrows from it.
        unsafe { (self.library.destroy_data_chunk)(&mut self.raw) };
    }
}

fn c_text(bytes: &[u8]) -> Result<CString, EngineError> {
    CString::new(bytes).map_err(|_| EngineError("Parser Error: the text holds a zero byte".to_owned()))
}
