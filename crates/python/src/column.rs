//! A column of numbers that Python reads in place through the buffer protocol.

use pyo3::exceptions::PyBufferError;
use pyo3::ffi;
use pyo3::prelude::*;
use std::ffi::{CStr, c_int, c_void};
use std::sync::Arc;

enum Values {
    Float(Arc<Vec<f64>>),
    Int(Vec<i64>),
    Short(Vec<u32>),
    Byte(Vec<u8>),
}

/// A read-only column of float64, int64, uint32 or uint8 values.
#[pyclass(frozen, module = "headgate._core")]
pub struct Column {
    values: Values,
    shape: [isize; 1],
    strides: [isize; 1],
}

impl Column {
    pub(crate) fn floats(values: impl Into<Arc<Vec<f64>>>) -> Column {
        let values = values.into();
        Column { shape: [values.len() as isize], strides: [8], values: Values::Float(values) }
    }

    pub(crate) fn shorts(values: Vec<u32>) -> Column {
        Column { shape: [values.len() as isize], strides: [4], values: Values::Short(values) }
    }

    pub(crate) fn bytes(values: Vec<u8>) -> Column {
        Column { shape: [values.len() as isize], strides: [1], values: Values::Byte(values) }
    }

    pub(crate) fn ints(values: Vec<i64>) -> Column {
        Column { shape: [values.len() as isize], strides: [8], values: Values::Int(values) }
    }
}

#[pymethods]
impl Column {
    fn __len__(&self) -> usize {
        self.shape[0] as usize
    }

    /// Fills `view` for the caller; the view keeps this column alive.
    ///
    /// # Safety
    /// Python calls it with a valid, writable `view`.
    unsafe fn __getbuffer__(slf: Bound<'_, Self>, view: *mut ffi::Py_buffer, flags: c_int) -> PyResult<()> {
        if view.is_null() || flags & ffi::PyBUF_WRITABLE == ffi::PyBUF_WRITABLE {
            return Err(PyBufferError::new_err("a column is read-only"));
        }
        let column = slf.get();
        let (data, format): (*const c_void, &CStr) = match &column.values {
            Values::Float(x) => (x.as_ptr().cast(), c"d"),
            Values::Int(x) => (x.as_ptr().cast(), c"q"),
            Values::Short(x) => (x.as_ptr().cast(), c"I"),
            Values::Byte(x) => (x.as_ptr().cast(), c"B"),
        };
        let wants = |flag: c_int| flags & flag == flag;
        // SAFETY: `view` is valid by the protocol; every pointer stored points into `column`, which never changes and which
        // the reference stored in `obj` keeps alive until the view is released.
        unsafe {
            (*view).buf = data.cast_mut();
            (*view).len = column.shape[0] * column.strides[0];
            (*view).readonly = 1;
            (*view).itemsize = column.strides[0];
            (*view).ndim = 1;
            (*view).format = if wants(ffi::PyBUF_FORMAT) { format.as_ptr().cast_mut() } else { std::ptr::null_mut() };
            (*view).shape = if wants(ffi::PyBUF_ND) { column.shape.as_ptr().cast_mut() } else { std::ptr::null_mut() };
            (*view).strides =
                if wants(ffi::PyBUF_STRIDES) { column.strides.as_ptr().cast_mut() } else { std::ptr::null_mut() };
            (*view).suboffsets = std::ptr::null_mut();
            (*view).internal = std::ptr::null_mut();
            (*view).obj = slf.into_ptr();
        }
        Ok(())
    }
}
