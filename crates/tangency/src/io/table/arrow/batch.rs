//! From a message to the arrays of its columns: heads list nodes and buffers in the order of the columns and their parts.

use std::collections::HashMap;
use std::io::Read;
use std::sync::Arc;

use polars_arrow_format::ipc::{BufferRef, CompressionType, FieldNodeRef, RecordBatchRef};

use super::array::{Array, Validity, Values};
use super::field::{Field, Kind, UNIONS};
use super::messages::{Arrow, Damage, Message, contents};
use crate::io::allowance::Allowance;

/// The values of dictionaries by number, in parts where they came so.
pub(super) type Dictionaries = HashMap<i64, Vec<Arc<Array>>>;

/// Reads the arrays of a batch one after the other.
pub(super) struct BatchReader<'a> {
    pub(super) rows: usize,
    body: &'a [u8],
    codec: Option<CompressionType>,
    nodes: std::vec::IntoIter<FieldNodeRef<'a>>,
    buffers: std::vec::IntoIter<BufferRef<'a>>,
    /// How many buffers each column of views has.
    of_views: Vec<i64>,
    dictionaries: &'a Dictionaries,
    has_old_unions: bool,
    /// What its buffers may take together.
    allowance: Allowance,
}

impl<'a> BatchReader<'a> {
    pub(super) fn new(
        head: RecordBatchRef<'a>,
        message: &'a Message,
        dictionaries: &'a Dictionaries,
        allowance: Allowance,
    ) -> Arrow<Self> {
        let codec = head.compression()?.map(|compression| compression.codec()).transpose()?;
        let mut of_views: Vec<i64> = head.variadic_buffer_counts()?.into_iter().flatten().collect();
        of_views.reverse();
        Ok(Self {
            rows: count(head.length()?)?,
            body: &message.body,
            codec,
            nodes: head.nodes()?.into_iter().flatten().collect::<Vec<_>>().into_iter(),
            buffers: head.buffers()?.into_iter().flatten().collect::<Vec<_>>().into_iter(),
            of_views,
            dictionaries,
            has_old_unions: message.has_old_unions()?,
            allowance,
        })
    }

    /// Adds the arrays of a column to those before it; the parts of a record are columns themselves. Those that are not wanted
    /// are only passed over.
    pub(super) fn column(
        &mut self,
        field: &Field,
        wanted: &dyn Fn(usize) -> bool,
        above: &mut Vec<Validity>,
        found: &mut Vec<Option<Array>>,
    ) -> Arrow<()> {
        if !matches!((field.kind, &field.dictionary), (Kind::Record, None)) {
            let load = wanted(found.len());
            let array = self.array(field, load, above)?;
            if load && array.rows != self.rows {
                return contents("a column does not have the rows of the others");
            }
            found.push(load.then_some(array));
            return Ok(());
        }
        self.node()?;
        above.push(self.buffer(true)?.into());
        for child in &field.children {
            self.column(child, wanted, above, found)?;
        }
        above.pop();
        Ok(())
    }

    /// The next array; nothing of it but its rows where it is not to be loaded.
    fn array(&mut self, field: &Field, load: bool, above: &[Validity]) -> Arrow<Array> {
        self.array_in(field, field.dictionary, load, above)
    }

    /// The values of a column's dictionary.
    pub(super) fn dictionary(&mut self, field: &Field) -> Arrow<Array> {
        self.array_in(field, None, true, &[])
    }

    fn array_in(
        &mut self,
        field: &Field,
        dictionary: Option<(i64, Kind)>,
        load: bool,
        above: &[Validity],
    ) -> Arrow<Array> {
        let rows = self.node()?;
        // as many items without any width as a file likes to promise
        let load = load && field.opaque().is_none() && (dictionary.is_some() || !is_hollow(field));
        let kind = dictionary.map_or(field.kind, |(_, place)| place);
        let mut validity = above.to_vec();
        match kind {
            Kind::Null => return Array::new(rows, vec![], Values::Absent),
            Kind::Opaque(what, buffers) => {
                let more = usize::from(what == UNIONS && self.has_old_unions);
                for _ in 0..buffers + more {
                    self.buffer(false)?;
                }
                self.pass_over(&field.children)?;
                return Array::new(rows, vec![], Values::Absent);
            }
            _ => validity.push(self.buffer(load)?.into()),
        }
        let values = match kind {
            Kind::Truth => Values::Truths(self.buffer(load)?),
            Kind::Variable { is_text, offset } => {
                let (ends, bytes) = (self.ends(rows, offset, load)?, self.buffer(load)?);
                Values::Variable { is_text, ends, bytes }
            }
            Kind::View { is_text } => {
                let views = self.buffer(load)?;
                let Some(buffers) = self.of_views.pop() else { return contents("buffers of views are not counted") };
                let buffers = (0..count(buffers)?).map(|_| self.buffer(load)).collect::<Arrow<_>>()?;
                Values::Views { is_text, views, buffers }
            }
            Kind::List { offset } => {
                let ends = self.ends(rows, offset, load)?;
                Values::List { ends, items: Box::new(self.item(field, load)?) }
            }
            Kind::FixedList(length) => {
                let items = Box::new(self.item(field, load)?);
                let fits = load && rows.checked_mul(length).is_some_and(|all| all <= items.rows);
                let ends = if fits { (0..=rows).map(|row| row * length).collect() } else { vec![] };
                Values::List { ends, items }
            }
            Kind::Record | Kind::Null | Kind::Opaque(..) => {
                self.pass_over(&field.children)?;
                Values::Absent
            }
            _ => {
                let (width, bytes) = (kind.width().unwrap_or(0), self.buffer(load)?);
                match dictionary {
                    None => Values::Fixed { kind, width, bytes },
                    Some((id, _)) => {
                        let dictionary = self.dictionaries.get(&id).cloned().unwrap_or_default();
                        Values::Places { kind, width, bytes, dictionary }
                    }
                }
            }
        };
        if load { Array::new(rows, validity, values) } else { Array::new(rows, vec![], Values::Absent) }
    }

    fn item(&mut self, field: &Field, load: bool) -> Arrow<Array> {
        match field.children.first() {
            Some(item) => self.array(item, load, &[]),
            None => contents("a list has no items"),
        }
    }

    fn pass_over(&mut self, children: &[Field]) -> Arrow<()> {
        children.iter().try_for_each(|child| self.array(child, false, &[]).map(|_| ()))
    }

    fn node(&mut self) -> Arrow<usize> {
        match self.nodes.next() {
            Some(node) => count(node.length()),
            None => contents("it lists fewer columns than it has"),
        }
    }

    fn ends(&mut self, rows: usize, width: usize, load: bool) -> Arrow<Vec<usize>> {
        let bytes = self.buffer(load)?;
        // of no rows some writers say nothing
        if bytes.is_empty() && rows == 0 {
            return Ok(vec![0]);
        }
        let end = |bytes: &[u8]| match width {
            4 => u64::from(u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])) as usize,
            _ => bytes.try_into().map_or(usize::MAX, |bytes| u64::from_le_bytes(bytes) as usize),
        };
        Ok(bytes.chunks_exact(width).take(rows.saturating_add(1)).map(end).collect())
    }

    /// The next buffer, unpacked; empty where it is not to be loaded.
    fn buffer(&mut self, load: bool) -> Arrow<Vec<u8>> {
        let Some(buffer) = self.buffers.next() else { return contents("it lists fewer buffers than it has") };
        if !load {
            return Ok(Vec::new());
        }
        let (start, length) = (count(buffer.offset())?, count(buffer.length())?);
        let Some(bytes) = start.checked_add(length).and_then(|end| self.body.get(start..end)) else {
            return contents("a buffer stands outside of it");
        };
        // many columns may show the same bytes
        self.allowance.take(bytes.len() as u64)?;
        match self.codec {
            None => Ok(bytes.to_vec()),
            Some(_) if bytes.is_empty() => Ok(Vec::new()),
            Some(codec) => unpacked(bytes, codec, &mut self.allowance),
        }
    }
}

/// What a packed buffer holds: its length, or −1 where it did not become shorter, and then its bytes.
fn unpacked(bytes: &[u8], codec: CompressionType, allowance: &mut Allowance) -> Arrow<Vec<u8>> {
    let Some((length, packed)) = bytes.split_first_chunk() else { return contents("a buffer is cut short") };
    let length = i64::from_le_bytes(*length);
    if length == -1 {
        return Ok(packed.to_vec());
    }
    let length = count(length)?;
    let most = allowance.room().saturating_add(1).min(length as u64);
    let mut found = Vec::new();
    // memory is taken as bytes come, whatever length is promised
    let result = match codec {
        CompressionType::Lz4Frame => lz4_flex::frame::FrameDecoder::new(packed).take(most).read_to_end(&mut found),
        CompressionType::Zstd => {
            zstd::stream::read::Decoder::new(packed).and_then(|decoder| decoder.take(most).read_to_end(&mut found))
        }
    };
    allowance.take(found.len() as u64)?;
    match result {
        Ok(_) if found.len() == length => Ok(found),
        Ok(_) => contents("a buffer is shorter than it promises"),
        Err(error) => Err(Damage::Contents(format!("a buffer cannot be unpacked: {error}"))),
    }
}

fn count(count: i64) -> Arrow<usize> {
    usize::try_from(count).or_else(|_| contents("a length is negative"))
}

/// Whether the values of a column take no bytes, so that nothing tells how many there are.
fn is_hollow(field: &Field) -> bool {
    match field.kind {
        Kind::Null | Kind::FixedList(0) => true,
        Kind::List { .. } | Kind::FixedList(_) => {
            field.children.first().is_some_and(|item| item.dictionary.is_none() && is_hollow(item))
        }
        kind => kind.width() == Some(0),
    }
}
