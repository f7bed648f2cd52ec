declare module "isopod.wasm" {
  const bytes: Uint8Array;
  export default bytes;
}
declare module "isopod-holders.wasm" {
  const bytes: Uint8Array;
  export default bytes;
}
