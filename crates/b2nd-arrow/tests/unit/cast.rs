//! Tests of the conversion of lists.

use arrow_array::types::{Int16Type, Int64Type};

use super::*;

/// In Arrow IPC, python-blosc2 4.10.1 stores lists of int16 as lists of int64.
#[test]
fn wider_items_of_lists_become_those_of_the_schema_if_they_fit() {
    let list =
        |number| Arc::new(ListArray::from_iter_primitive::<Int64Type, _, _>([Some([Some(number), None]), None])) as ArrayRef;
    let narrow = ListArray::from_iter_primitive::<Int16Type, _, _>([Some([Some(-32768), None]), None]);
    assert_eq!(&*conform(&list(-32768), narrow.data_type()).unwrap(), &narrow as &dyn Array);
    let error = conform(&list(32768), narrow.data_type()).unwrap_err().to_string();
    assert_eq!(error, "Cast error: Can't cast value 32768 to type Int16");
    let text = DataType::List(Arc::new(Field::new("item", DataType::Utf8, true)));
    assert!(conform(&list(1), &text).is_err());
}
