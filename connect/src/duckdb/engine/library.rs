//! The user's DuckDB library: where it is looked for, and the functions taken from it.
//!
//! The engine is as large as all the rest of Periplus together, so it is not part of it: the library is loaded when a
//! DuckDB file is first opened. Invariant: once loaded it stays until the process ends, because threads of the engine
//! may still be at work in it.

use std::error::Error as _;
use std::ffi::{CStr, c_char, c_void};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError};

use crate::error::ConnectError;

/// The variable that names the library's file.
const VARIABLE: &str = "PERIPLUS_DUCKDB_LIBRARY";

/// The library's name on this system.
const FILE_NAME: &str = if cfg!(target_os = "windows") {
    "duckdb.dll"
} else if cfg!(target_os = "macos") {
    "libduckdb.dylib"
} else {
    "libduckdb.so"
};

/// Where Homebrew puts libraries on machines whose loader doesn't look there.
const HOMEBREW: &str = "/opt/homebrew/lib";

/// What a function gives back where all went well: `DuckDBSuccess`.
pub(super) const SUCCESS: u32 = 0;

/// A pointer to something of the engine's.
pub(super) type Raw = *mut c_void;

/// `duckdb_result`: five fields that are no longer in use, and the result.
#[repr(C)]
#[derive(Clone, Copy)]
pub(super) struct RawResult {
    unused: [u64; 3],
    unused_pointers: [Raw; 2],
    internal: Raw,
}

impl RawResult {
    pub(super) const fn empty() -> Self {
        Self { unused: [0; 3], unused_pointers: [std::ptr::null_mut(); 2], internal: std::ptr::null_mut() }
    }
}

/// Declares the functions by their names without `duckdb_`, and how they are found in the library.
macro_rules! functions {
    ($($name:ident: ($($argument:ty),*) $(-> $returned:ty)?;)*) => {
        /// The functions that are used, by their names without `duckdb_`.
        pub(crate) struct Library {
            $(pub(super) $name: unsafe extern "C" fn($($argument),*) $(-> $returned)?,)*
            /// Holds the functions in memory.
            _file: libloading::Library,
        }

        impl Library {
            /// Takes the functions out of a loaded file.
            fn from_file(file: libloading::Library) -> Result<Self, libloading::Error> {
                Ok(Self {
                    // SAFETY: the types are those of DuckDB's header, whose functions keep theirs from version to
                    // version; `_file` lives as long as the pointers.
                    $($name: *unsafe { file.get(concat!("duckdb_", stringify!($name))) }?,)*
                    _file: file,
                })
            }
        }
    };
}

functions! {
    library_version: () -> *const c_char;
    create_config: (*mut Raw) -> u32;
    set_config: (Raw, *const c_char, *const c_char) -> u32;
    destroy_config: (*mut Raw);
    open_ext: (*const c_char, *mut Raw, Raw, *mut *mut c_char) -> u32;
    close: (*mut Raw);
    connect: (Raw, *mut Raw) -> u32;
    disconnect: (*mut Raw);
    interrupt: (Raw);
    free: (Raw);
    extract_statements: (Raw, *const c_char, *mut Raw) -> u64;
    extract_statements_error: (Raw) -> *const c_char;
    prepare_extracted_statement: (Raw, Raw, u64, *mut Raw) -> u32;
    destroy_extracted: (*mut Raw);
    prepare_error: (Raw) -> *const c_char;
    destroy_prepare: (*mut Raw);
    prepared_statement_type: (Raw) -> u32;
    bind_varchar_length: (Raw, u64, *const c_char, u64) -> u32;
    bind_null: (Raw, u64) -> u32;
    execute_prepared_streaming: (Raw, *mut RawResult) -> u32;
    result_error: (*mut RawResult) -> *const c_char;
    destroy_result: (*mut RawResult);
    fetch_chunk: (RawResult) -> Raw;
    column_count: (*mut RawResult) -> u64;
    column_name: (*mut RawResult, u64) -> *const c_char;
    column_logical_type: (*mut RawResult, u64) -> Raw;
    destroy_logical_type: (*mut Raw);
    get_type_id: (Raw) -> u32;
    decimal_scale: (Raw) -> u8;
    decimal_internal_type: (Raw) -> u32;
    enum_internal_type: (Raw) -> u32;
    enum_dictionary_size: (Raw) -> u32;
    enum_dictionary_value: (Raw, u64) -> *mut c_char;
    list_type_child_type: (Raw) -> Raw;
    array_type_child_type: (Raw) -> Raw;
    array_type_array_size: (Raw) -> u64;
    map_type_key_type: (Raw) -> Raw;
    map_type_value_type: (Raw) -> Raw;
    struct_type_child_count: (Raw) -> u64;
    struct_type_child_name: (Raw, u64) -> *mut c_char;
    struct_type_child_type: (Raw, u64) -> Raw;
    union_type_member_count: (Raw) -> u64;
    union_type_member_type: (Raw, u64) -> Raw;
    data_chunk_get_size: (Raw) -> u64;
    data_chunk_get_vector: (Raw, u64) -> Raw;
    destroy_data_chunk: (*mut Raw);
    vector_get_data: (Raw) -> Raw;
    vector_get_validity: (Raw) -> *mut u64;
    list_vector_get_child: (Raw) -> Raw;
    list_vector_get_size: (Raw) -> u64;
    struct_vector_get_child: (Raw, u64) -> Raw;
    array_vector_get_child: (Raw) -> Raw;
}

impl std::fmt::Debug for Library {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Library").field("version", &self.version()).finish_non_exhaustive()
    }
}

static LOADED: OnceLock<Library> = OnceLock::new();
static LOADING: Mutex<()> = Mutex::new(());

impl Library {
    /// The library, which is looked for and loaded the first time.
    pub(crate) fn loaded() -> Result<&'static Self, ConnectError> {
        let named = std::env::var_os(VARIABLE).filter(|path| !path.is_empty()).map(PathBuf::from);
        Self::loaded_from(&named.map_or_else(places, |path| vec![path]))
    }

    /// The library at the first of these places that has one, unless it has been loaded before.
    pub(crate) fn loaded_from(places: &[PathBuf]) -> Result<&'static Self, ConnectError> {
        let _only_once = LOADING.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(library) = LOADED.get() {
            return Ok(library);
        }
        let library = Self::first_of(places)?;
        tracing::debug!(version = library.version(), "the DuckDB library is loaded");
        Ok(LOADED.get_or_init(|| library))
    }

    /// Loads the library at the first of these places that has one.
    pub(crate) fn first_of(places: &[PathBuf]) -> Result<Self, ConnectError> {
        let mut reasons = Vec::new();
        for place in places {
            match load(place) {
                Ok(library) => return Ok(library),
                // The loader's words are the error's source.
                Err(error) => reasons.push(error.source().map_or_else(|| error.to_string(), ToString::to_string)),
            }
        }
        Err(ConnectError::EngineLibraryMissing { engine: "DuckDB".into(), reason: reasons.join("; ") })
    }

    /// The engine's version: `v1.4.1`.
    pub(crate) fn version(&self) -> String {
        // SAFETY: the function takes nothing, and gives a text that stays as long as the library.
        text(unsafe { (self.library_version)() })
    }
}

fn load(place: &Path) -> Result<Library, libloading::Error> {
    // SAFETY: loading runs the library's own initialization; the user chose the library, by the variable or by
    // installing it.
    Library::from_file(unsafe { libloading::Library::new(place) }?)
}

/// Where the library may be: beside the executable, then wherever the system's loader looks.
fn places() -> Vec<PathBuf> {
    let beside = std::env::current_exe().ok().and_then(|executable| Some(executable.parent()?.join(FILE_NAME)));
    let homebrew = cfg!(target_os = "macos").then(|| Path::new(HOMEBREW).join(FILE_NAME));
    let found = beside.filter(|path| path.exists()).into_iter();
    found.chain([PathBuf::from(FILE_NAME)]).chain(homebrew.filter(|path| path.exists())).collect()
}

/// A text of the engine's, copied; empty where there is none.
pub(super) fn text(pointer: *const c_char) -> String {
    if pointer.is_null() {
        return String::new();
    }
    // SAFETY: all texts of the C interface end with a zero byte, and the caller has it from a function of it.
    unsafe { CStr::from_ptr(pointer) }.to_string_lossy().into_owned()
}

impl Library {
    /// A text that is ours to free, copied and freed.
    pub(super) fn owned_text(&self, pointer: *mut c_char) -> String {
        let copy = text(pointer);
        // SAFETY: the caller has the text from a function that gives it away; freeing nothing is allowed.
        unsafe { (self.free)(pointer.cast()) };
        copy
    }
}
