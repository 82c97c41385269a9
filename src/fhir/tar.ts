/**
 * Reads a tar archive as it arrives, holding one chunk and the file being read, and nothing more:
 * https://pubs.opengroup.org/onlinepubs/9699919799/utilities/pax.html#tag_20_92_13_06. Links and other special entries
 * are skipped.
 */

const BLOCK = 512
/** In bytes; a long name fits many times. */
const MAX_EXTENDED_HEADER = 64 * 1024

/** The archive is not a tar file, or it is cut off. */
export class BrokenArchive extends Error {}

export interface ArchivedFile {
  readonly path: string
  /** In bytes. */
  readonly size: number
  /** May be called until the next file is read; a file that is not read is skipped. @throws BrokenArchive */
  readonly read: () => Promise<Buffer>
}

interface Header {
  readonly path: string
  readonly size: number
  readonly kind: string
}

/** A name too long for the header is given by the preceding entry. @throws BrokenArchive */
export async function* filesInTar(chunks: AsyncIterable<Buffer>): AsyncGenerator<ArchivedFile> {
  const bytes = new ByteReader(chunks)
  let longName: string | undefined
  for (let header = await readHeader(bytes); header !== undefined; header = await readHeader(bytes)) {
    const { kind, size, path } = header
    const entry = new Entry(bytes, size)
    if (kind === '0' || kind === '\0') yield { path: longName ?? path, size, read: () => entry.read() }
    longName = kind === 'L' || kind === 'x' ? longNameIn(kind, await extendedHeader(entry, size)) : undefined
    await entry.skip()
  }
  await bytes.drain()
}

/** The content of an entry: read or skipped, once. */
class Entry {
  readonly #bytes: ByteReader
  readonly #size: number
  #isRead = false

  constructor(bytes: ByteReader, size: number) {
    this.#bytes = bytes
    this.#size = size
  }

  async read(): Promise<Buffer> {
    this.#isRead = true
    const content = await this.#bytes.read(this.#size)
    await this.#bytes.skip(padding(this.#size))
    return content
  }

  async skip(): Promise<void> {
    if (!this.#isRead) await this.#bytes.skip(this.#size + padding(this.#size))
  }
}

/** Files end at the end of a block. */
const padding = (size: number): number => (BLOCK - (size % BLOCK)) % BLOCK

/** Undefined at the end of the archive, a block of zeros. */
async function readHeader(bytes: ByteReader): Promise<Header | undefined> {
  if (await bytes.isAtEnd()) return undefined
  const header = await bytes.read(BLOCK)
  if (header[0] === 0) return undefined
  const size = sizeOf(header)
  if (!hasValidChecksum(header) || !Number.isSafeInteger(size) || size < 0) throw new BrokenArchive()
  return { path: nameOf(header), size, kind: String.fromCharCode(header[156] ?? 0) }
}

async function extendedHeader(entry: Entry, size: number): Promise<string> {
  if (size > MAX_EXTENDED_HEADER) throw new BrokenArchive()
  return (await entry.read()).toString('utf8')
}

/** The long name in a GNU tar entry (`L`) or a POSIX extended header (`x`). */
const longNameIn = (kind: 'L' | 'x', text: string): string | undefined =>
  kind === 'L' ? text.replace(/\0.*$/s, '') : /^\d+ path=(.*)$/m.exec(text)?.[1]

const field = (header: Buffer, from: number, length: number): string =>
  header.toString('utf8', from, from + length).replace(/\0.*$/s, '')

/** Written in octal; NaN for anything else. */
const sizeOf = (header: Buffer): number => Number.parseInt(field(header, 124, 12).trim() || '0', 8)

function nameOf(header: Buffer): string {
  const prefix = field(header, 257, 5) === 'ustar' ? field(header, 345, 155) : ''
  return prefix === '' ? field(header, 0, 100) : `${prefix}/${field(header, 0, 100)}`
}

/** The checksum is the sum of all header bytes, with the checksum field itself read as spaces. */
function hasValidChecksum(header: Buffer): boolean {
  const sum = header.reduce((total, byte, index) => total + (index >= 148 && index < 156 ? 32 : byte), 0)
  return sum === Number.parseInt(field(header, 148, 8).trim(), 8)
}

/** Takes any number of bytes from a stream of chunks. */
class ByteReader {
  readonly #chunks: AsyncIterator<Buffer>
  #rest: Buffer = Buffer.alloc(0)

  constructor(chunks: AsyncIterable<Buffer>) {
    this.#chunks = chunks[Symbol.asyncIterator]()
  }

  async isAtEnd(): Promise<boolean> {
    return this.#rest.length === 0 && !(await this.#next())
  }

  /** @throws BrokenArchive when there are fewer */
  async read(size: number): Promise<Buffer> {
    const parts: Buffer[] = []
    await this.#take(size, (part) => parts.push(part))
    return parts.length === 1 ? (parts[0] ?? Buffer.alloc(0)) : Buffer.concat(parts)
  }

  /** @throws BrokenArchive when there are fewer */
  skip(size: number): Promise<void> {
    return this.#take(size, () => {})
  }

  async drain(): Promise<void> {
    while (await this.#next());
  }

  async #take(size: number, use: (part: Buffer) => void): Promise<void> {
    for (let missing = size; missing > 0; ) {
      if (await this.isAtEnd()) throw new BrokenArchive()
      const part = this.#rest.subarray(0, missing)
      this.#rest = this.#rest.subarray(part.length)
      missing -= part.length
      use(part)
    }
  }

  async #next(): Promise<boolean> {
    const { done, value } = await this.#chunks.next()
    this.#rest = done === true ? Buffer.alloc(0) : value
    return done !== true
  }
}
