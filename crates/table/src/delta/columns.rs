//! Actions of the log as columns of a checkpoint, and back: JSON in the shape of a schema.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Int32Type, Int64Type};
use arrow_array::{
    new_null_array, Array, ArrayRef, BooleanArray, Int32Array, Int64Array, ListArray, MapArray,
    RecordBatch, StringArray, StructArray,
};
use arrow_buffer::{NullBuffer, OffsetBuffer};
use arrow_schema::{ArrowError, DataType, Field, FieldRef, Fields, Schema, SchemaRef};
use serde_json::{Map, Value};

type Result<T> = std::result::Result<T, ArrowError>;

fn field(name: &str, of: DataType) -> Field {
    Field::new(name, of, true)
}

fn group(name: &str, fields: Vec<Field>) -> Field {
    field(name, DataType::Struct(fields.into()))
}

fn texts_by_name(name: &str) -> Field {
    let entry = Fields::from(vec![
        Field::new("key", DataType::Utf8, false),
        field("value", DataType::Utf8),
    ]);
    let entry = Field::new("key_value", DataType::Struct(entry), false);
    field(name, DataType::Map(Arc::new(entry), false))
}

/// Columns of a checkpoint `[DELTA]`, without those that this log leaves empty.
pub(super) fn schema() -> SchemaRef {
    use DataType::{Boolean, Int32, Int64, Utf8};
    let partitions = DataType::List(Arc::new(field("element", Utf8)));
    let format = vec![field("provider", Utf8), texts_by_name("options")];
    Arc::new(Schema::new(vec![
        group(
            "txn",
            vec![
                field("appId", Utf8),
                field("version", Int64),
                field("lastUpdated", Int64),
            ],
        ),
        group(
            "add",
            vec![
                field("path", Utf8),
                texts_by_name("partitionValues"),
                field("size", Int64),
                field("modificationTime", Int64),
                field("dataChange", Boolean),
                field("stats", Utf8),
                texts_by_name("tags"),
            ],
        ),
        group(
            "remove",
            vec![
                field("path", Utf8),
                field("deletionTimestamp", Int64),
                field("dataChange", Boolean),
                field("extendedFileMetadata", Boolean),
                texts_by_name("partitionValues"),
                field("size", Int64),
            ],
        ),
        group(
            "metaData",
            vec![
                field("id", Utf8),
                field("name", Utf8),
                field("description", Utf8),
                group("format", format),
                field("schemaString", Utf8),
                field("partitionColumns", partitions),
                texts_by_name("configuration"),
                field("createdTime", Int64),
            ],
        ),
        group(
            "protocol",
            vec![
                field("minReaderVersion", Int32),
                field("minWriterVersion", Int32),
            ],
        ),
    ]))
}

/// Actions as rows.
pub(super) fn batch(actions: &[Value]) -> Result<RecordBatch> {
    let schema = schema();
    let columns = schema.fields().iter().map(|field| {
        let values: Vec<Option<&Value>> = actions
            .iter()
            .map(|action| action.get(field.name()))
            .collect();
        array(field.data_type(), &values)
    });
    RecordBatch::try_new(schema.clone(), columns.collect::<Result<_>>()?)
}

/// Values of one type; null where there is none, or one of another type.
fn array(of: &DataType, values: &[Option<&Value>]) -> Result<ArrayRef> {
    let each = values.iter();
    Ok(match of {
        DataType::Utf8 => Arc::new(
            each.map(|value| value.and_then(Value::as_str))
                .collect::<StringArray>(),
        ),
        DataType::Int64 => Arc::new(
            each.map(|value| value.and_then(Value::as_i64))
                .collect::<Int64Array>(),
        ),
        DataType::Int32 => {
            let narrow = |value: &Value| value.as_i64().and_then(|value| i32::try_from(value).ok());
            Arc::new(
                each.map(|value| value.and_then(narrow))
                    .collect::<Int32Array>(),
            )
        }
        DataType::Boolean => Arc::new(
            each.map(|value| value.and_then(Value::as_bool))
                .collect::<BooleanArray>(),
        ),
        DataType::Struct(fields) => structs(fields, values)?,
        DataType::List(item) => lists(item, values)?,
        DataType::Map(entry, _) => maps(entry, values)?,
        other => new_null_array(other, values.len()),
    })
}

fn structs(fields: &Fields, values: &[Option<&Value>]) -> Result<ArrayRef> {
    let columns = fields.iter().map(|field| {
        let of: Vec<Option<&Value>> = values
            .iter()
            .map(|value| value.and_then(|value| value.get(field.name())))
            .collect();
        array(field.data_type(), &of)
    });
    let columns = columns.collect::<Result<_>>()?;
    let nulls: NullBuffer = values.iter().map(Option::is_some).collect();
    Ok(Arc::new(StructArray::try_new(
        fields.clone(),
        columns,
        Some(nulls),
    )?))
}

fn lists(item: &FieldRef, values: &[Option<&Value>]) -> Result<ArrayRef> {
    let lists: Vec<Option<&Vec<Value>>> = values
        .iter()
        .map(|value| value.and_then(Value::as_array))
        .collect();
    let offsets = OffsetBuffer::from_lengths(lists.iter().map(|list| list.map_or(0, Vec::len)));
    let items: Vec<Option<&Value>> = lists
        .iter()
        .flatten()
        .flat_map(|list| list.iter())
        .map(Some)
        .collect();
    let nulls: NullBuffer = lists.iter().map(Option::is_some).collect();
    let items = array(item.data_type(), &items)?;
    Ok(Arc::new(ListArray::try_new(
        item.clone(),
        offsets,
        items,
        Some(nulls),
    )?))
}

fn maps(entry: &FieldRef, values: &[Option<&Value>]) -> Result<ArrayRef> {
    let maps: Vec<Option<&Map<String, Value>>> = values
        .iter()
        .map(|value| value.and_then(Value::as_object))
        .collect();
    let offsets = OffsetBuffer::from_lengths(maps.iter().map(|map| map.map_or(0, Map::len)));
    let entries = || maps.iter().flatten().flat_map(|map| map.iter());
    let names: StringArray = entries().map(|(name, _)| Some(name.as_str())).collect();
    let texts: StringArray = entries().map(|(_, value)| value.as_str()).collect();
    let DataType::Struct(fields) = entry.data_type() else {
        return Err(ArrowError::SchemaError(format!(
            "{entry}: no entry of a map"
        )));
    };
    let columns: Vec<ArrayRef> = vec![Arc::new(names), Arc::new(texts)];
    let entries = StructArray::try_new(fields.clone(), columns, None)?;
    let nulls: NullBuffer = maps.iter().map(Option::is_some).collect();
    Ok(Arc::new(MapArray::try_new(
        entry.clone(),
        offsets,
        entries,
        Some(nulls),
        false,
    )?))
}

/// Rows as actions.
pub(super) fn actions(batch: &RecordBatch) -> Vec<Value> {
    let row = |row| {
        let columns = batch.schema_ref().fields().iter().zip(batch.columns());
        Value::Object(object(columns, row))
    };
    (0..batch.num_rows()).map(row).collect()
}

fn object<'a>(
    columns: impl Iterator<Item = (&'a FieldRef, &'a ArrayRef)>,
    row: usize,
) -> Map<String, Value> {
    let there = columns.filter(|(_, column)| column.is_valid(row));
    there
        .map(|(field, column)| (field.name().clone(), value(column, row)))
        .collect()
}

/// The value of a row that is not null.
fn value(column: &ArrayRef, row: usize) -> Value {
    match column.data_type() {
        DataType::Utf8 => column.as_string::<i32>().value(row).into(),
        DataType::Int64 => column.as_primitive::<Int64Type>().value(row).into(),
        DataType::Int32 => column.as_primitive::<Int32Type>().value(row).into(),
        DataType::Boolean => column.as_boolean().value(row).into(),
        DataType::Struct(fields) => {
            Value::Object(object(fields.iter().zip(column.as_struct().columns()), row))
        }
        DataType::List(_) => {
            let items = column.as_list::<i32>().value(row);
            (0..items.len()).map(|item| value(&items, item)).collect()
        }
        DataType::Map(..) => {
            let entries = column.as_map().value(row);
            let (names, texts) = (entries.column(0), entries.column(1));
            let name = |entry| names.as_string::<i32>().value(entry).to_owned();
            let entries = (0..entries.len()).filter(|&entry| texts.is_valid(entry));
            Value::Object(
                entries
                    .map(|entry| (name(entry), value(texts, entry)))
                    .collect(),
            )
        }
        _ => Value::Null,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use serde_json::json;

    use super::*;

    #[test]
    fn actions_come_back_as_they_were() {
        let actions_before = vec![
            json!({"protocol": {"minReaderVersion": 1, "minWriterVersion": 2}}),
            json!({"metaData": {"id": "a", "format": {"provider": "parquet", "options": {}}, "schemaString": "{}",
                   "partitionColumns": [], "configuration": {"a": "b", "c": ""}, "createdTime": i64::MAX}}),
            json!({"txn": {"appId": "log", "version": i64::MIN}}),
            json!({"add": {"path": "é\u{0}", "partitionValues": {}, "size": 0, "modificationTime": -1, "dataChange": false,
                   "stats": "", "tags": {"isopod.crc32c": "00000000"}}}),
            json!({"remove": {"path": "b", "deletionTimestamp": 7, "dataChange": true}}),
        ];
        let batch = batch(&actions_before).unwrap();
        assert_eq!(actions(&batch), actions_before);
        assert_eq!(actions(&super::batch(&[]).unwrap()), Vec::<Value>::new());
    }
}
