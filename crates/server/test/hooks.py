"""Lets schemathesis send and read frames as plain bytes."""
import schemathesis


@schemathesis.serializer("application/cbor-seq")
def write(_context: object, value: object) -> bytes:
    """The bytes of a generated body."""
    return value if isinstance(value, bytes) else str(value).encode("utf-8", "replace")


@schemathesis.deserializer("application/cbor-seq")
def read(_context: object, response: object) -> str:
    """The body of an answer, as the string that the description promises."""
    return response.content.decode("latin-1")
