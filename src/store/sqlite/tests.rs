//! What only a file can get wrong.
