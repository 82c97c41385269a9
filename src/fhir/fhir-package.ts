/**
 * FHIR packages, the .tgz files of implementation guides: https://confluence.hl7.org/display/FHIR/NPM+Package+Specification.
 * Nothing is unpacked to the disk, so a path is a name and no more; links and everything but plain files are passed over.
 */
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { badRequest, FhirError } from './outcome.ts'
import { isObject } from './resource.ts'

export interface PackageFile {
  /** `package/StructureDefinition-us-core-patient.json` */
  readonly path: string
  readonly text: () => string
}

export interface FhirPackage {
  readonly name: string
  readonly version: string
  /** Empty where the package does not say. */
  readonly fhirVersions: readonly string[]
  /** Names of other packages with their versions, `hl7.terminology.r4#5.0.0`. */
  readonly dependencies: readonly string[]
  /** The JSON files directly in `package/`: examples and the like are in folders of it. */
  readonly files: readonly PackageFile[]
}

/** Bytes that a package may have when unpacked; US Core has less than half of that. */
const MOST_BYTES = 128 * 1024 * 1024
const MOST_FILES = 20_000

/** @throws FhirError 400 when it is no package, 413 when it is too large */
export async function readPackage(bytes: Buffer): Promise<FhirPackage> {
  const files = [...filesOf(await unpacked(bytes))]
  const manifest = files.find(({ path }) => path === 'package/package.json')
  if (manifest === undefined) throw noPackage('it has no package/package.json')
  const { name, version, fhirVersions, dependencies } = manifestOf(manifest.text())
  return {
    name: textOf(name) ?? 'unnamed',
    version: textOf(version) ?? 'without version',
    fhirVersions: Array.isArray(fhirVersions) ? fhirVersions.filter((one) => typeof one === 'string') : [],
    dependencies: isObject(dependencies)
      ? Object.entries(dependencies).map((pair) => pair.join('#').slice(0, 100))
      : [],
    files: files.filter(({ path }) => /^package\/[^/.][^/]*\.json$/.test(path) && path !== 'package/package.json'),
  }
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value.slice(0, 100) : undefined)

const noPackage = (why: string): FhirError =>
  badRequest(`The body is no FHIR package: ${why}. A package is a gzipped tar file with package/package.json in it`)

const tooLarge = (what: string): FhirError =>
  new FhirError(413, {
    code: 'too-long',
    diagnostics: `The package has more than ${what}, the most this server unpacks`,
  })

const inflate = promisify(gunzip)

async function unpacked(bytes: Buffer): Promise<Buffer> {
  try {
    return await inflate(bytes, { maxOutputLength: MOST_BYTES })
  } catch (error) {
    const isTooLarge = error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE'
    throw isTooLarge ? tooLarge(`${MOST_BYTES} bytes`) : noPackage('it is not gzipped')
  }
}

function manifestOf(text: string): Record<string, unknown> {
  try {
    const manifest: unknown = JSON.parse(text)
    if (isObject(manifest)) return manifest
  } catch {
    // Said below.
  }
  throw noPackage('package/package.json is no JSON object')
}

const BLOCK = 512

interface TarEntry {
  readonly header: Buffer
  readonly content: Buffer
}

/** https://pubs.opengroup.org/onlinepubs/9699919799/utilities/pax.html#tag_20_92_13_06 */
function* entriesOf(tar: Buffer): Generator<TarEntry> {
  let count = 0
  for (let at = 0; at + BLOCK <= tar.length && tar[at] !== 0; ) {
    const header = tar.subarray(at, at + BLOCK)
    const size = sizeOf(header)
    const content = tar.subarray(at + BLOCK, at + BLOCK + size)
    if (!isHeader(header) || content.length < size) throw noPackage('its tar file is broken or cut off')
    if (++count > MOST_FILES) throw tooLarge(`${MOST_FILES} files`)
    yield { header, content }
    at += BLOCK + Math.ceil(size / BLOCK) * BLOCK
  }
}

/** Names that are too long for a header stand in an entry before. */
function* filesOf(tar: Buffer): Generator<PackageFile> {
  let longName: string | undefined
  for (const { header, content } of entriesOf(tar)) {
    const kind = String.fromCharCode(header[156] ?? 0)
    if (kind === '0' || kind === '\0') yield { path: longName ?? nameOf(header), text: () => content.toString('utf8') }
    longName = kind === 'L' || kind === 'x' ? nameIn(kind, content.toString('utf8')) : undefined
  }
}

/** Of GNU tar, or of the extended headers of POSIX. */
const nameIn = (kind: 'L' | 'x', text: string): string | undefined =>
  kind === 'L' ? text.replace(/\0.*$/s, '') : /^\d+ path=(.*)$/m.exec(text)?.[1]

const field = (header: Buffer, from: number, length: number): string =>
  header.toString('utf8', from, from + length).replace(/\0.*$/s, '')

/** Octal; NaN for anything else. */
const sizeOf = (header: Buffer): number => Number.parseInt(field(header, 124, 12).trim() || '0', 8)

function nameOf(header: Buffer): string {
  const prefix = field(header, 257, 5) === 'ustar' ? field(header, 345, 155) : ''
  return prefix === '' ? field(header, 0, 100) : `${prefix}/${field(header, 0, 100)}`
}

/** The checksum is the sum of the header with itself as spaces. */
function isHeader(header: Buffer): boolean {
  const sum = header.reduce((total, byte, index) => total + (index >= 148 && index < 156 ? 32 : byte), 0)
  return sum === Number.parseInt(field(header, 148, 8).trim(), 8)
}
