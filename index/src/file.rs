//! The file that an index is saved in: arrays one after the other, read where they lie.
//!
//! [`MAGIC`], the format and the number of sections (`u32`), [`ORDER`] (`u32`), and for each section its place and its
//! length in bytes (`u64`); then the sections, each at a multiple of eight bytes. Numbers are as the machine has them: the
//! file stays on it, and [`ORDER`] shows where it doesn't.

use std::borrow::Cow;
use std::io::{self, Write};
use std::ops::Range;
use std::sync::Arc;

use bytemuck::Pod;
use memmap2::Mmap;

use crate::arrays::{Array, Lists, Texts};

const MAGIC: [u8; 8] = *b"periplus";
/// Reads as another number on a machine with another byte order.
const ORDER: u32 = 0x0102_0304;
/// Where every section begins: a multiple of this.
const ALIGNMENT: usize = 8;
/// Sections at most; a file with more isn't ours.
const MOST_SECTIONS: u32 = 1_000;

/// What is kept in sections of the file, written and read in the same order.
pub(crate) trait Stored: Sized {
    /// Adds its sections.
    fn put<'s>(&'s self, sections: &mut Sections<'s>);

    /// Reads its sections; `None` where they don't fit together.
    fn take(sections: &mut Reader) -> Option<Self>;
}

/// Sections to be written.
#[derive(Default)]
pub(crate) struct Sections<'s>(Vec<Cow<'s, [u8]>>);

impl<'s> Sections<'s> {
    pub(crate) fn push(&mut self, bytes: impl Into<Cow<'s, [u8]>>) {
        self.0.push(bytes.into());
    }

    /// Writes the file.
    pub(crate) fn write(&self, format: u32, out: &mut impl Write) -> io::Result<()> {
        out.write_all(&MAGIC)?;
        for number in [format, self.0.len() as u32, ORDER, 0] {
            out.write_all(&number.to_ne_bytes())?;
        }
        let mut place = head_length(self.0.len());
        for section in &self.0 {
            out.write_all(&(place as u64).to_ne_bytes())?;
            out.write_all(&(section.len() as u64).to_ne_bytes())?;
            place += section.len().next_multiple_of(ALIGNMENT);
        }
        for section in &self.0 {
            out.write_all(section)?;
            out.write_all(&[0; ALIGNMENT][..section.len().next_multiple_of(ALIGNMENT) - section.len()])?;
        }
        Ok(())
    }
}

fn head_length(sections: usize) -> usize {
    MAGIC.len() + 16 + sections * 16
}

/// Sections as they are read, one after the other.
pub(crate) struct Reader {
    file: Arc<Mmap>,
    sections: std::vec::IntoIter<Range<usize>>,
}

impl Reader {
    /// Reads the head of the file; the error says why it can't be used.
    pub(crate) fn new(file: Mmap, format: u32) -> Result<Self, String> {
        let number =
            |at: usize| file.get(at..at + 4).and_then(|bytes| Some(u32::from_ne_bytes(bytes.try_into().ok()?)));
        let long = |at: usize| file.get(at..at + 8).and_then(|bytes| Some(u64::from_ne_bytes(bytes.try_into().ok()?)));
        let at = MAGIC.len();
        if !file.starts_with(&MAGIC) || number(at + 8) != Some(ORDER) {
            return Err("it is no index of this machine".to_owned());
        }
        match number(at) {
            Some(found) if found == format => {}
            found => {
                return Err(format!("it has format {}, and this version reads {format}", found.unwrap_or_default()));
            }
        }
        let count = number(at + 4).filter(|&count| count <= MOST_SECTIONS).unwrap_or_default() as usize;
        let section = |section: usize| {
            let at = head_length(section);
            let start = usize::try_from(long(at)?).ok()?;
            let end = start.checked_add(usize::try_from(long(at + 8)?).ok()?)?;
            (end <= file.len()).then_some(start..end)
        };
        let sections: Option<Vec<Range<usize>>> = (0..count).map(section).collect();
        let sections = sections.ok_or("it is shorter than it says")?.into_iter();
        Ok(Self { file: Arc::new(file), sections })
    }

    /// The bytes of the next section.
    pub(crate) fn bytes(&mut self) -> Option<&[u8]> {
        let range = self.sections.next()?;
        self.file.get(range)
    }
}

impl<T: Pod> Stored for Array<T> {
    fn put<'s>(&'s self, sections: &mut Sections<'s>) {
        sections.push(bytemuck::cast_slice::<T, u8>(self));
    }

    fn take(sections: &mut Reader) -> Option<Self> {
        let range = sections.sections.next()?;
        Self::mapped(&sections.file, range)
    }
}

impl<T: Pod> Stored for Lists<T> {
    fn put<'s>(&'s self, sections: &mut Sections<'s>) {
        let (starts, values) = self.parts();
        starts.put(sections);
        values.put(sections);
    }

    fn take(sections: &mut Reader) -> Option<Self> {
        Self::from_parts(Array::take(sections)?, Array::take(sections)?)
    }
}

impl Stored for Texts {
    fn put<'s>(&'s self, sections: &mut Sections<'s>) {
        let (starts, bytes) = self.parts();
        starts.put(sections);
        bytes.put(sections);
    }

    fn take(sections: &mut Reader) -> Option<Self> {
        Self::from_parts(Array::take(sections)?, Array::take(sections)?)
    }
}

impl<S: Stored> Stored for Vec<S> {
    fn put<'s>(&'s self, sections: &mut Sections<'s>) {
        sections.push((self.len() as u64).to_ne_bytes().to_vec());
        self.iter().for_each(|stored| stored.put(sections));
    }

    fn take(sections: &mut Reader) -> Option<Self> {
        let count = u64::from_ne_bytes(sections.bytes()?.try_into().ok()?);
        (0..count.min(u64::from(MOST_SECTIONS))).map(|_| S::take(sections)).collect()
    }
}

/// Stores a type as its fields, one after the other.
macro_rules! stored {
    ($type:ident { $($field:ident),* $(,)? }) => {
        impl $crate::file::Stored for $type {
            fn put<'s>(&'s self, sections: &mut $crate::file::Sections<'s>) {
                $($crate::file::Stored::put(&self.$field, sections);)*
            }

            fn take(sections: &mut $crate::file::Reader) -> Option<Self> {
                Some(Self { $($field: $crate::file::Stored::take(sections)?),* })
            }
        }
    };
}
pub(crate) use stored;
