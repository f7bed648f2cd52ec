declare module "isopod.wasm" {
  const bytes: Uint8Array;
  export default bytes;
}
