// A module that the machine gives little memory: its section of memories gets a maximum.

/** Bytes of a module whose memory grows by at most `pages` of 64 KiB. Stands alone, so that a browser can be given it. */
export function limited(bytes, pages) {
  const MEMORY = 5;
  const number = (at) => {
    let [value, shift] = [0, 0];
    for (; ; at++, shift += 7) {
      value += (bytes[at] & 127) * 2 ** shift;
      if (bytes[at] < 128) return [value, at + 1];
    }
  };
  const leb = (value) => (value < 128 ? [value] : [(value % 128) | 128, ...leb(Math.floor(value / 128))]);
  for (let at = 8; at < bytes.length; ) {
    const [size, body] = number(at + 1);
    if (bytes[at] === MEMORY) {
      const [least] = number(body + 2);
      const section = [1, 1, ...leb(least), ...leb(least + pages)];
      return Uint8Array.from([...bytes.slice(0, at + 1), ...leb(section.length), ...section, ...bytes.slice(body + size)]);
    }
    at = body + size;
  }
  throw new Error("the module has no memory");
}
