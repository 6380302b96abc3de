//! The messages of an Arrow file or stream, each a head that says what is where and a body that holds it.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{BufReader, ErrorKind, Read, Seek, SeekFrom};
use std::path::Path;

use polars_arrow_format::ipc::planus::{self, ReadAsRoot};
use polars_arrow_format::ipc::{BlockRef, FooterRef, MessageHeaderRef, MessageRef, MetadataVersion};

use super::field::{Field, fields};
use crate::io::allowance::Excess;

/// Why a file cannot be read.
pub(super) enum Damage {
    Unreadable(std::io::Error),
    /// It is cut short, or contradicts itself.
    Contents(String),
    /// It is sound, but of a kind that is not read.
    Foreign(&'static str),
    /// It would take too much memory.
    Large(Excess),
}

pub(super) type Arrow<T> = Result<T, Damage>;

pub(super) fn contents<T>(reason: impl Into<String>) -> Arrow<T> {
    Err(Damage::Contents(reason.into()))
}

impl From<std::io::Error> for Damage {
    fn from(error: std::io::Error) -> Self {
        match error.kind() {
            ErrorKind::UnexpectedEof => Self::Contents("it is cut short".into()),
            _ => Self::Unreadable(error),
        }
    }
}

impl From<Excess> for Damage {
    fn from(excess: Excess) -> Self {
        Self::Large(excess)
    }
}

impl From<planus::Error> for Damage {
    fn from(error: planus::Error) -> Self {
        Self::Contents(error.to_string())
    }
}

/// What a file begins and ends with.
const MAGIC: &[u8] = b"ARROW1";
/// What stands before the length of a message since version 0.15.
const CONTINUATION: [u8; 4] = [0xff; 4];

pub(super) struct Messages {
    file: BufReader<File>,
    order: Order,
}

enum Order {
    /// One after the other, as in a stream.
    AsTheyCome,
    /// A file's: dictionaries first, wherever they stand.
    Listed(VecDeque<Place>),
}

struct Place {
    offset: u64,
    head: u64,
    body: u64,
}

pub(super) struct Message {
    head: Vec<u8>,
    pub(super) body: Vec<u8>,
}

impl Message {
    pub(super) fn header(&self) -> Arrow<Option<MessageHeaderRef<'_>>> {
        Ok(MessageRef::read_as_root(&self.head)?.header()?)
    }

    /// Whether unions have a buffer more, as until version 1.0.
    pub(super) fn has_old_unions(&self) -> Arrow<bool> {
        match MessageRef::read_as_root(&self.head)?.version()? {
            MetadataVersion::V5 => Ok(false),
            MetadataVersion::V4 => Ok(true),
            _ => Err(Damage::Foreign("is of a version of Arrow before 0.8, which is not read")),
        }
    }
}

impl Messages {
    /// Opens a file or a stream, and reads what columns it has.
    pub(super) fn open(path: &Path) -> Arrow<(Self, Vec<Field>)> {
        let mut file = BufReader::new(File::open(path)?);
        let mut first = Vec::new();
        file.by_ref().take(8).read_to_end(&mut first)?;
        if first.starts_with(b"FEA1") {
            return Err(Damage::Foreign("is Feather of version 1, which is not read"));
        }
        if first.starts_with(MAGIC) {
            return Self::open_file(file);
        }
        file.seek(SeekFrom::Start(0))?;
        let mut messages = Self { file, order: Order::AsTheyCome };
        let Some(message) = messages.next()? else { return contents("it is empty") };
        match message.header()? {
            Some(MessageHeaderRef::Schema(schema)) => {
                let fields = fields(schema, message.head.len())?;
                Ok((messages, fields))
            }
            _ => contents("it does not begin with its columns"),
        }
    }

    fn open_file(mut file: BufReader<File>) -> Arrow<(Self, Vec<Field>)> {
        let length = file.seek(SeekFrom::End(0))?;
        let end = MAGIC.len() as u64 + 4;
        if length < 8 + end {
            return contents("it is cut short");
        }
        file.seek(SeekFrom::Start(length - end))?;
        let tail = bytes(&mut file, end)?;
        let footer = u64::from(u32::from_le_bytes([tail[0], tail[1], tail[2], tail[3]]));
        if !tail.ends_with(MAGIC) || footer > length - end - 8 {
            return contents("it is cut short");
        }
        file.seek(SeekFrom::Start(length - end - footer))?;
        let footer = bytes(&mut file, footer)?;
        let root = FooterRef::read_as_root(&footer)?;
        let Some(schema) = root.schema()? else { return contents("it has no columns") };
        let fields = fields(schema, footer.len())?;
        let dictionaries = root.dictionaries()?.into_iter().flatten();
        let batches = root.record_batches()?.into_iter().flatten();
        let places = dictionaries.chain(batches).map(|block| place(block, length)).collect::<Arrow<_>>()?;
        Ok((Self { file, order: Order::Listed(places) }, fields))
    }

    /// The next message, with its body; nothing after the last.
    pub(super) fn next(&mut self) -> Arrow<Option<Message>> {
        match &mut self.order {
            Order::AsTheyCome => {
                let next = self.next_in_stream()?;
                if next.is_none() {
                    // whatever stands behind the end
                    self.order = Order::Listed(VecDeque::new());
                }
                Ok(next)
            }
            Order::Listed(places) => {
                let Some(place) = places.pop_front() else { return Ok(None) };
                self.file.seek(SeekFrom::Start(place.offset))?;
                let mut head = bytes(&mut self.file, place.head)?;
                let prefix = if head.starts_with(&CONTINUATION) { 8 } else { 4 };
                head.drain(..prefix.min(place.head as usize));
                let body = bytes(&mut self.file, place.body)?;
                Ok(Some(Message { head, body }))
            }
        }
    }

    fn next_in_stream(&mut self) -> Arrow<Option<Message>> {
        let mut first = Vec::new();
        self.file.by_ref().take(4).read_to_end(&mut first)?;
        // a writer may end a stream without a mark
        if first.is_empty() {
            return Ok(None);
        }
        let mut length = word(&first)?;
        if first == CONTINUATION {
            length = word(&bytes(&mut self.file, 4)?)?;
        }
        if length == 0 {
            return Ok(None);
        }
        let head = bytes(&mut self.file, length.into())?;
        let body = MessageRef::read_as_root(&head)?.body_length()?;
        let Ok(body) = u64::try_from(body) else { return contents("a length is negative") };
        let body = bytes(&mut self.file, body)?;
        Ok(Some(Message { head, body }))
    }
}

fn word(bytes: &[u8]) -> Arrow<u32> {
    match bytes.try_into() {
        Ok(bytes) => Ok(u32::from_le_bytes(bytes)),
        Err(_) => contents("it is cut short"),
    }
}

/// So many bytes; memory is only taken for those that are there.
fn bytes(file: &mut BufReader<File>, count: u64) -> Arrow<Vec<u8>> {
    let mut bytes = Vec::new();
    file.by_ref().take(count).read_to_end(&mut bytes)?;
    if bytes.len() as u64 == count { Ok(bytes) } else { contents("it is cut short") }
}

fn place(block: BlockRef, length: u64) -> Arrow<Place> {
    let known = || {
        let offset = u64::try_from(block.offset()).ok()?;
        let head = u64::try_from(block.meta_data_length()).ok()?;
        let body = u64::try_from(block.body_length()).ok()?;
        let end = offset.checked_add(head)?.checked_add(body)?;
        (end <= length).then_some(Place { offset, head, body })
    };
    known().map_or_else(|| contents("a part is said to stand outside of it"), Ok)
}
