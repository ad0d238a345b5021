//! Values, read where the engine keeps them: a column of a chunk is a vector, and a nested one has vectors inside.
//!
//! Invariant: a place is read only after it has been found to be inside its vector, and only as the type that the
//! engine says the vector has. Layouts: <https://duckdb.org/docs/stable/clients/c/vector>.

use std::marker::PhantomData;
use std::ptr::read_unaligned;

use super::library::{Library, Raw};

/// A type, with those inside it.
#[derive(Clone, Debug)]
pub(super) enum Shape {
    Boolean,
    Int(Width),
    Unsigned(Width),
    Float,
    Double,
    Text,
    Blob,
    Bit,
    Uuid,
    Decimal {
        scale: u8,
        width: Width,
    },
    Date,
    Time(Unit),
    TimeWithZone,
    Timestamp(Unit),
    TimestampWithZone,
    Interval,
    Enum {
        labels: Vec<String>,
        width: Width,
    },
    List(Box<Shape>),
    Array(Box<Shape>, usize),
    Map(Box<Shape>, Box<Shape>),
    Struct(Vec<(String, Shape)>),
    Union(Vec<Shape>),
    /// The type of a bare NULL.
    Null,
    /// One that is not read here.
    Unknown,
}

/// How wide a whole number is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Width {
    One,
    Two,
    Four,
    Eight,
    Sixteen,
}

/// What a point in time is counted in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unit {
    Seconds,
    Millis,
    Micros,
    Nanos,
}

impl Shape {
    /// The type behind a handle, which stays the caller's.
    pub(super) fn of(library: &'static Library, handle: Raw) -> Self {
        // SAFETY: the caller's handle is alive.
        match unsafe { (library.get_type_id)(handle) } {
            1 => Self::Boolean,
            2 => Self::Int(Width::One),
            3 => Self::Int(Width::Two),
            4 => Self::Int(Width::Four),
            5 => Self::Int(Width::Eight),
            6 => Self::Unsigned(Width::One),
            7 => Self::Unsigned(Width::Two),
            8 => Self::Unsigned(Width::Four),
            9 => Self::Unsigned(Width::Eight),
            10 => Self::Float,
            11 => Self::Double,
            12 => Self::Timestamp(Unit::Micros),
            13 => Self::Date,
            14 => Self::Time(Unit::Micros),
            15 => Self::Interval,
            16 => Self::Int(Width::Sixteen),
            17 => Self::Text,
            18 => Self::Blob,
            20 => Self::Timestamp(Unit::Seconds),
            21 => Self::Timestamp(Unit::Millis),
            22 => Self::Timestamp(Unit::Nanos),
            27 => Self::Uuid,
            29 => Self::Bit,
            30 => Self::TimeWithZone,
            31 => Self::TimestampWithZone,
            32 => Self::Unsigned(Width::Sixteen),
            36 => Self::Null,
            39 => Self::Time(Unit::Nanos),
            nested => Self::nested(library, handle, nested),
        }
    }

    /// The types that have more to them than their number.
    fn nested(library: &'static Library, handle: Raw, id: u32) -> Self {
        let inner = |mut child: Raw| {
            let shape = Self::of(library, child);
            // SAFETY: the caller was given the type by one of the functions below.
            unsafe { (library.destroy_logical_type)(&mut child) };
            Box::new(shape)
        };
        // SAFETY: the handle is alive, and of the type that each function is for; types and texts that they give away
        // are freed by `inner` and `owned_text`.
        unsafe {
            match id {
                19 => {
                    let width = Width::of_type((library.decimal_internal_type)(handle));
                    width.map_or(Self::Unknown, |width| Self::Decimal { scale: (library.decimal_scale)(handle), width })
                }
                23 => {
                    let labels = 0..u64::from((library.enum_dictionary_size)(handle));
                    let label = |place| library.owned_text((library.enum_dictionary_value)(handle, place));
                    let width = Width::of_type((library.enum_internal_type)(handle));
                    width.map_or(Self::Unknown, |width| Self::Enum { labels: labels.map(label).collect(), width })
                }
                24 => Self::List(inner((library.list_type_child_type)(handle))),
                25 => {
                    let fields = 0..(library.struct_type_child_count)(handle);
                    let field = |place| {
                        let name = library.owned_text((library.struct_type_child_name)(handle, place));
                        (name, *inner((library.struct_type_child_type)(handle, place)))
                    };
                    Self::Struct(fields.map(field).collect())
                }
                26 => {
                    Self::Map(inner((library.map_type_key_type)(handle)), inner((library.map_type_value_type)(handle)))
                }
                28 => {
                    let members = 0..(library.union_type_member_count)(handle);
                    Self::Union(members.map(|place| *inner((library.union_type_member_type)(handle, place))).collect())
                }
                33 => {
                    let size = (library.array_type_array_size)(handle) as usize;
                    Self::Array(inner((library.array_type_child_type)(handle)), size)
                }
                _ => Self::Unknown,
            }
        }
    }
}

impl Shape {
    /// Whether all of it can be read.
    pub(super) fn is_known(&self) -> bool {
        match self {
            Self::Unknown => false,
            Self::List(inner) | Self::Array(inner, _) => inner.is_known(),
            Self::Map(key, value) => key.is_known() && value.is_known(),
            Self::Struct(fields) => fields.iter().all(|(_, shape)| shape.is_known()),
            Self::Union(members) => members.iter().all(Self::is_known),
            _ => true,
        }
    }
}

impl Width {
    /// The width of a type of whole numbers, by its number.
    fn of_type(id: u32) -> Option<Self> {
        match id {
            2 | 6 => Some(Self::One),
            3 | 7 => Some(Self::Two),
            4 | 8 => Some(Self::Four),
            5 | 9 => Some(Self::Eight),
            16 | 32 => Some(Self::Sixteen),
            _ => None,
        }
    }
}

/// The values of a column in a chunk that is alive.
#[derive(Clone, Copy)]
pub(super) struct Vector {
    library: &'static Library,
    raw: Raw,
    data: Raw,
    /// A bit for each row that is not NULL; null where none is.
    validity: *mut u64,
    rows: usize,
}

impl Vector {
    /// A vector with at least `rows` rows.
    pub(super) fn new(library: &'static Library, raw: Raw, rows: usize) -> Self {
        // SAFETY: the caller's vector is alive.
        let (data, validity) = unsafe { ((library.vector_get_data)(raw), (library.vector_get_validity)(raw)) };
        Self { library, raw, data, validity, rows }
    }

    fn is_null(&self, row: usize) -> bool {
        // SAFETY: a mask has a bit for every row, and `row` has been found to be one.
        row >= self.rows || (!self.validity.is_null() && unsafe { *self.validity.add(row / 64) } >> (row % 64) & 1 == 0)
    }

    /// The value of a row, which is one, as a type without pointers that has the width of the vector's.
    fn read<T: Plain>(&self, row: usize) -> T {
        // SAFETY: `cell` asks only for rows that are there and for the type that the engine named.
        unsafe { read_unaligned(self.data.cast::<T>().add(row)) }
    }

    fn signed(&self, row: usize, width: Width) -> i128 {
        match width {
            Width::One => self.read::<i8>(row).into(),
            Width::Two => self.read::<i16>(row).into(),
            Width::Four => self.read::<i32>(row).into(),
            Width::Eight => self.read::<i64>(row).into(),
            Width::Sixteen => self.read(row),
        }
    }

    fn unsigned(&self, row: usize, width: Width) -> u128 {
        match width {
            Width::One => self.read::<u8>(row).into(),
            Width::Two => self.read::<u16>(row).into(),
            Width::Four => self.read::<u32>(row).into(),
            Width::Eight => self.read::<u64>(row).into(),
            Width::Sixteen => self.read(row),
        }
    }

    /// The bytes of a row: a length, and up to twelve bytes behind it or four and a pointer to all of them.
    fn bytes<'c>(&self, row: usize) -> &'c [u8] {
        // SAFETY: such a vector holds 16 bytes a row, which `cell` has found to be one; what the pointer leads to lives
        // as long as the chunk, and so as long as the cell.
        unsafe {
            let entry = self.data.cast::<u8>().add(row * 16);
            let length = read_unaligned(entry.cast::<u32>()) as usize;
            let first = if length <= 12 { entry.add(4) } else { read_unaligned(entry.add(8).cast::<*mut u8>()) };
            std::slice::from_raw_parts(first, length)
        }
    }

    /// The vector of a list's or map's elements, and where those of a row begin and how many they are.
    fn elements(&self, row: usize) -> (Self, usize, usize) {
        let [from, length] = self.read::<[u64; 2]>(row);
        // SAFETY: `cell` asks lists only.
        let (child, size) =
            unsafe { ((self.library.list_vector_get_child)(self.raw), (self.library.list_vector_get_size)(self.raw)) };
        (Self::new(self.library, child, size as usize), from as usize, length as usize)
    }

    /// The vector of a field, which has as many rows.
    fn field(&self, place: usize) -> Self {
        // SAFETY: `cell` asks structures and unions only, and for fields that they have.
        let child = unsafe { (self.library.struct_vector_get_child)(self.raw, place as u64) };
        Self::new(self.library, child, self.rows)
    }

    /// The vector of the elements of all rows' arrays.
    fn array(&self, size: usize) -> Self {
        // SAFETY: `cell` asks arrays only.
        Self::new(self.library, unsafe { (self.library.array_vector_get_child)(self.raw) }, self.rows * size)
    }
}

/// Types that any bytes are a value of.
trait Plain: Copy {}
impl Plain for u8 {}
impl Plain for i8 {}
impl Plain for u16 {}
impl Plain for i16 {}
impl Plain for u32 {}
impl Plain for i32 {}
impl Plain for u64 {}
impl Plain for i64 {}
impl Plain for u128 {}
impl Plain for i128 {}
impl Plain for f32 {}
impl Plain for f64 {}
impl Plain for [u64; 2] {}
impl Plain for [i32; 4] {}

/// A value, in the terms of its type.
pub(crate) enum Cell<'c> {
    Null,
    Boolean(bool),
    Integer(i128),
    Unsigned(u128),
    Float(f32),
    Double(f64),
    Text(&'c [u8]),
    Blob(&'c [u8]),
    /// The number of unused bits in front, and the bits.
    Bit(&'c [u8]),
    Uuid(u128),
    Decimal {
        digits: i128,
        scale: u8,
    },
    /// Days since 1970; the largest number and its negative are the infinities.
    Date(i32),
    /// Since midnight.
    Time(i64, Unit),
    /// Microseconds since midnight, and seconds east of Greenwich.
    TimeWithZone(i64, i32),
    /// Since 1970; infinities as with dates.
    Timestamp(i64, Unit),
    /// Microseconds since 1970 in UTC; infinities as with dates.
    TimestampWithZone(i64),
    Interval {
        months: i32,
        days: i32,
        micros: i64,
    },
    Label(&'c str),
    List(Items<'c>),
    /// Keys, and their values.
    Map(Items<'c>, Items<'c>),
    Struct(Fields<'c>),
    /// What can't be read.
    Unknown,
}

/// Elements of a list.
pub(crate) struct Items<'c> {
    shape: &'c Shape,
    vector: Vector,
    places: std::ops::Range<usize>,
    chunk: PhantomData<&'c Chunked>,
}

/// Stands for the chunk that a cell borrows from.
struct Chunked;

impl<'c> Iterator for Items<'c> {
    type Item = Cell<'c>;

    fn next(&mut self) -> Option<Cell<'c>> {
        self.places.next().map(|place| cell(self.shape, self.vector, place))
    }
}

/// Fields of a structure.
pub(crate) struct Fields<'c> {
    fields: std::iter::Enumerate<std::slice::Iter<'c, (String, Shape)>>,
    vector: Vector,
    row: usize,
}

impl<'c> Iterator for Fields<'c> {
    type Item = (&'c str, Cell<'c>);

    fn next(&mut self) -> Option<Self::Item> {
        let (place, (name, shape)) = self.fields.next()?;
        Some((name, cell(shape, self.vector.field(place), self.row)))
    }
}

/// The value of a row. The shape is the vector's, and the vector's chunk lives as long as the shape is borrowed.
pub(super) fn cell<'c>(shape: &'c Shape, vector: Vector, row: usize) -> Cell<'c> {
    if vector.is_null(row) {
        return Cell::Null;
    }
    match shape {
        Shape::Boolean => Cell::Boolean(vector.read::<u8>(row) != 0),
        Shape::Int(width) => Cell::Integer(vector.signed(row, *width)),
        Shape::Unsigned(width) => Cell::Unsigned(vector.unsigned(row, *width)),
        Shape::Float => Cell::Float(vector.read(row)),
        Shape::Double => Cell::Double(vector.read(row)),
        Shape::Text => Cell::Text(vector.bytes(row)),
        Shape::Blob => Cell::Blob(vector.bytes(row)),
        Shape::Bit => Cell::Bit(vector.bytes(row)),
        // The first bit is turned, for the numbers to be in the order of the texts.
        Shape::Uuid => Cell::Uuid(vector.read::<u128>(row) ^ (1 << 127)),
        Shape::Decimal { scale, width } => Cell::Decimal { digits: vector.signed(row, *width), scale: *scale },
        Shape::Date => Cell::Date(vector.read(row)),
        Shape::Time(unit) => Cell::Time(vector.read(row), *unit),
        Shape::TimeWithZone => {
            // 40 bits of time, and 24 of what the offset is short of the largest, 15:59:59.
            let bits = vector.read::<u64>(row);
            let offset = (16 * 60 * 60 - 1) - i32::try_from(bits & 0xFF_FFFF).unwrap_or(0);
            Cell::TimeWithZone(i64::try_from(bits >> 24).unwrap_or(0), offset)
        }
        Shape::Timestamp(unit) => Cell::Timestamp(vector.read(row), *unit),
        Shape::TimestampWithZone => Cell::TimestampWithZone(vector.read(row)),
        Shape::Interval => {
            let [months, days, ..] = vector.read::<[i32; 4]>(row);
            let [_, micros] = vector.read::<[u64; 2]>(row);
            Cell::Interval { months, days, micros: micros.cast_signed() }
        }
        Shape::Enum { labels, width } => {
            let label = usize::try_from(vector.unsigned(row, *width)).ok().and_then(|place| labels.get(place));
            label.map_or(Cell::Unknown, |label| Cell::Label(label))
        }
        Shape::List(shape) => {
            let (vector, from, length) = vector.elements(row);
            Cell::List(Items { shape, vector, places: from..from + length, chunk: PhantomData })
        }
        Shape::Array(shape, size) => {
            let places = row * size..(row + 1) * size;
            Cell::List(Items { shape, vector: vector.array(*size), places, chunk: PhantomData })
        }
        Shape::Map(key, value) => {
            let (entries, from, length) = vector.elements(row);
            let items = |shape, place| {
                let vector = entries.field(place);
                Items { shape, vector, places: from..from + length, chunk: PhantomData }
            };
            Cell::Map(items(key, 0), items(value, 1))
        }
        Shape::Struct(fields) => Cell::Struct(Fields { fields: fields.iter().enumerate(), vector, row }),
        Shape::Union(members) => {
            // The first field is the number of the member that is set.
            let tag = usize::from(vector.field(0).read::<u8>(row));
            members.get(tag).map_or(Cell::Unknown, |shape| cell(shape, vector.field(tag + 1), row))
        }
        Shape::Null => Cell::Null,
        Shape::Unknown => Cell::Unknown,
    }
}
