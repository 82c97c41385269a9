/**
 * FHIR packages, the .tgz files of implementation guides:
 * https://confluence.hl7.org/display/FHIR/NPM+Package+Specification. A package is unpacked as it is read, one file at a
 * time, and never to disk, so paths are only names.
 */
import { createGunzip } from 'node:zlib'
import { rethrowBudgetError, spend } from '../isolation/budget.ts'
import { badRequest, FhirError } from './outcome.ts'
import { isObject, itemsOf } from './resource.ts'
import { type ArchivedFile, BrokenArchive, filesInTar } from './tar.ts'

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
