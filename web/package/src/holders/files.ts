/** Files that holders send each other. */

/** A file for other holders. Nothing in it is secret. */
export interface SentFile {
  readonly name: string;
  readonly bytes: Uint8Array;
}
