/**
 * FHIR packages, the .tgz files of implementation guides:
 * https://confluence.hl7.org/display/FHIR/NPM+Package+Specification. Packages are read in memory and never extracted to
 * disk, so paths are only names; links and other special entries are skipped.
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
  /** Empty when the manifest does not list any. */
  readonly fhirVersions: readonly string[]
  /** Required packages with their versions, `hl7.terminology.r4#5.0.0`. */
  readonly dependencies: readonly string[]
  /** The JSON files directly in `package/`; its subfolders hold examples and the like. */
  readonly files: readonly PackageFile[]
}

/** The size of an unpacked package; US Core needs less than half of it. */
const MAX_UNPACKED_BYTES = 128 * 1024 * 1024
const MAX_FILES = 20_000

/** @throws FhirError 400 when the bytes are not a FHIR package, 413 when it is too large */
export async function readPackage(bytes: Buffer): Promise<FhirPackage> {
  const files = [...filesOf(await unzip(bytes))]
  const manifest = files.find(({ path }) => path === 'package/package.json')
  if (manifest === undefined) throw notAPackage('it has no package/package.json')
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

const notAPackage = (why: string): FhirError =>
  badRequest(
    `The body is not a FHIR package: ${why}. A package is a gzipped tar file that contains package/package.json`,
  )

const tooLarge = (what: string): FhirError =>
  new FhirError(413, {
    code: 'too-long',
    diagnostics: `The package has more than ${what}, the maximum of this server`,
  })

const inflate = promisify(gunzip)

async function unzip(bytes: Buffer): Promise<Buffer> {
  try {
    return await inflate(bytes, { maxOutputLength: MAX_UNPACKED_BYTES })
  } catch (error) {
    const isTooLarge = error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE'
    throw isTooLarge ? tooLarge(`${MAX_UNPACKED_BYTES} bytes`) : notAPackage('it is not gzipped')
  }
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
    if (!isHeader(header) || content.length < size) throw notAPackage('its tar file is broken or cut off')
    if (++count > MAX_FILES) throw tooLarge(`${MAX_FILES} files`)
    yield { header, content }
    at += BLOCK + Math.ceil(size / BLOCK) * BLOCK
  }
}

/** A name too long for the header is given by the preceding entry. */
function* filesOf(tar: Buffer): Generator<PackageFile> {
  let longName: string | undefined
  for (const { header, content } of entriesOf(tar)) {
    const kind = String.fromCharCode(header[156] ?? 0)
    if (kind === '0' || kind === '\0') yield { path: longName ?? nameOf(header), text: () => content.toString('utf8') }
    longName = kind === 'L' || kind === 'x' ? nameIn(kind, content.toString('utf8')) : undefined
  }
}

/** The long name in a GNU tar entry (`L`) or a POSIX extended header (`x`). */
const nameIn = (kind: 'L' | 'x', text: string): string | undefined =>
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
function isHeader(header: Buffer): boolean {
  const sum = header.reduce((total, byte, index) => total + (index >= 148 && index < 156 ? 32 : byte), 0)
  return sum === Number.parseInt(field(header, 148, 8).trim(), 8)
}
