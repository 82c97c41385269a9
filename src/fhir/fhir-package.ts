/**
 * FHIR packages, the .tgz files of implementation guides:
 * https://confluence.hl7.org/display/FHIR/NPM+Package+Specification. A package is unpacked as it is read, one file at a
 * time, and never to disk, so paths are only names. The tar archive
 * (https://pubs.opengroup.org/onlinepubs/9699919799/utilities/pax.html#tag_20_92_13_06) is read as it arrives, holding one
 * chunk and the file being read; links and other special entries are skipped.
 */
import { createGunzip } from 'node:zlib'
import { rethrowBudgetError, spend } from '../isolation/budget.ts'
import { badRequest, FhirError } from './outcome.ts'
import { isObject, itemsOf } from './resource.ts'

export interface PackageFile {
  /** `package/StructureDefinition-us-core-patient.json` */
  readonly path: string
  readonly text: string
}

export interface FhirPackage {
  readonly name: string
  readonly version: string
  /** Empty when the manifest does not list any. */
  readonly fhirVersions: readonly string[]
  /** Required packages with their versions, `hl7.terminology.r4#5.0.0`. */
  readonly dependencies: readonly string[]
  /** How many `files` there are. */
  readonly fileCount: number
  /** Unpacks the JSON files directly in `package/`, one after the other; its subfolders hold examples and the like. */
  readonly files: () => AsyncGenerator<PackageFile>
}

/** The size of an unpacked package; US Core needs less than half of it. */
const MAX_UNPACKED_BYTES = 128 * 1024 * 1024
/** The size of a file; no larger resource can be sent by itself either. */
const MAX_FILE_BYTES = 16 * 1024 * 1024
const MAX_FILES = 20_000

const MANIFEST = 'package/package.json'

/**
 * Unpacks the package once, to its end, so that its errors are found before any of it is used.
 * @throws FhirError 400 when the bytes are not a FHIR package, 413 when it is too large
 * @throws BudgetError
 */
export async function readPackage(bytes: Buffer): Promise<FhirPackage> {
  let manifest: string | undefined
  let fileCount = 0
  for await (const file of unpacked(bytes)) {
    if (file.path === MANIFEST) manifest ??= await textOf(file)
    else if (isTaken(file)) {
      if (file.size > MAX_FILE_BYTES) throw tooLarge(`${MAX_FILE_BYTES} bytes in ${file.path.slice(0, 100)}`)
      fileCount++
    }
  }
  if (manifest === undefined) throw notAPackage(`it has no ${MANIFEST}`)
  const { name, version, fhirVersions, dependencies } = manifestOf(manifest)
  return {
    name: shortText(name) ?? 'unnamed',
    version: shortText(version) ?? 'without version',
    fhirVersions: itemsOf(fhirVersions).filter((one) => typeof one === 'string'),
    dependencies: isObject(dependencies)
      ? Object.entries(dependencies).map((pair) => pair.join('#').slice(0, 100))
      : [],
    fileCount,
    files: () => filesOf(bytes),
  }
}

async function* filesOf(bytes: Buffer): AsyncGenerator<PackageFile> {
  for await (const file of unpacked(bytes)) {
    if (isTaken(file)) yield { path: file.path, text: await textOf(file) }
  }
}

const isTaken = ({ path }: ArchivedFile): boolean => path !== MANIFEST && /^package\/[^/.][^/]*\.json$/.test(path)

async function textOf(file: ArchivedFile): Promise<string> {
  if (file.size > MAX_FILE_BYTES) throw tooLarge(`${MAX_FILE_BYTES} bytes in ${file.path.slice(0, 100)}`)
  return (await file.read().catch(refuseBroken)).toString('utf8')
}

function refuseBroken(error: unknown): never {
  throw error instanceof BrokenArchive ? notAPackage('its tar file is broken or cut off') : error
}

const shortText = (value: unknown): string | undefined => (typeof value === 'string' ? value.slice(0, 100) : undefined)

const notAPackage = (why: string): FhirError =>
  badRequest(
    `The body is not a FHIR package: ${why}. A package is a gzipped tar file that contains package/package.json`,
  )

const tooLarge = (what: string): FhirError =>
  new FhirError(413, {
    code: 'too-long',
    diagnostics: `The package has more than ${what}, the maximum of this server`,
  })

/** @throws FhirError 400, 413 */
async function* unpacked(bytes: Buffer): AsyncGenerator<ArchivedFile> {
  let count = 0
  try {
    for await (const file of filesInTar(inflated(bytes))) {
      if (++count > MAX_FILES) throw tooLarge(`${MAX_FILES} files`)
      yield file
    }
  } catch (error) {
    refuseBroken(error)
  }
}

/** In bytes, as the unpacked package is read. */
const CHUNK = 128 * 1024
/** For passing bytes on: the thread pool inflates them. */
const BYTES_PER_STEP = 1_000

async function* inflated(bytes: Buffer): AsyncGenerator<Buffer> {
  let size = 0
  const gunzip = createGunzip({ chunkSize: CHUNK })
  gunzip.end(bytes)
  try {
    for await (const chunk of gunzip as AsyncIterable<Buffer>) {
      size += chunk.length
      if (size > MAX_UNPACKED_BYTES) throw tooLarge(`${MAX_UNPACKED_BYTES} bytes`)
      spend(chunk.length / BYTES_PER_STEP, 'the files of the package')
      yield chunk
    }
  } catch (error) {
    rethrowBudgetError(error)
    throw error instanceof FhirError ? error : notAPackage('it is not gzipped')
  }
  if (size === 0) throw notAPackage('it is not gzipped')
}

function manifestOf(text: string): Record<string, unknown> {
  try {
    const manifest: unknown = JSON.parse(text)
    if (isObject(manifest)) return manifest
  } catch {
    // Reported below.
  }
  throw notAPackage('package/package.json is no JSON object')
}

const BLOCK = 512
/** In bytes; a long name fits many times. */
const MAX_EXTENDED_HEADER = 64 * 1024

/** The archive is not a tar file, or it is cut off. */
class BrokenArchive extends Error {}

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
async function* filesInTar(chunks: AsyncIterable<Buffer>): AsyncGenerator<ArchivedFile> {
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
