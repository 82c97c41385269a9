/** `export` and `import`: the resources of a clinic as a stream, never as a whole in memory. */
import { createReadStream, createWriteStream, statSync } from 'node:fs'
import { Readable, Transform, type Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ReadableStream } from 'node:stream/web'
import { type Command, type Given, noMore, onlyWord, textOf, UsageError } from './command.ts'
import { progressOf, table } from './output.ts'

export const exportCommand: Command = {
  what: 'Writes all resources of the clinic, one in each line, or as a Bundle.',
  usage: ['export [--out FILE] [--format ndjson|bundle]'],
  help: ['--out FILE   absent: standard output'],
  examples: ['export --out clinic.ndjson', 'export --format bundle --out clinic.json'],
  options: { out: { type: 'string' }, format: { type: 'string', default: 'ndjson' } },
  run: async ({ server, words, values }) => {
    noMore(words)
    const format = encodeURIComponent(textOf(values, 'format') ?? 'ndjson')
    const response = await server.open({ path: server.own(`export?format=${format}`) })
    const file = textOf(values, 'out')
    const target: Writable = file === undefined ? process.stdout : createWriteStream(file)
    const total = Number(response.headers.get('content-length') ?? 0)
    // The response of a stream has no length: then only the bytes are counted.
    const counter = countingBytes('Bytes', total)
    await pipeline(
      Readable.fromWeb((response.body ?? new Blob().stream()) as ReadableStream),
      counter,
      target,
      // Standard output is not ours to close.
      { end: file !== undefined },
    )
  },
}

interface Imported {
  readonly imported: number
  readonly updated: number
  readonly refused: readonly { readonly line?: number; readonly resource?: string; readonly reason: string }[]
}

export const importCommand: Command = {
  what: 'Stores the resources of a file: lines of JSON (.ndjson) or a Bundle (.json).',
  usage: ['import FILE | - [--format ndjson|bundle]'],
  help: ['-          standard input', '--format   absent: by the name of the file; lines, of standard input'],
  examples: ['import clinic.ndjson', 'import bundle.json --json', 'import - --format bundle'],
  options: { format: { type: 'string' } },
  run: async (given) => {
    const file = onlyWord(given.words, 'The file')
    const answer = await given.server.ask<Imported>({
      method: 'POST',
      path: given.server.own('import'),
      headers: { 'content-type': contentTypeOf(textOf(given.values, 'format') ?? formatOf(file)) },
      body: bodyOf(file),
    })
    tell(given, answer)
  },
}

const formatOf = (file: string): string => (file.endsWith('.json') ? 'bundle' : 'ndjson')

function contentTypeOf(format: string): string {
  if (format !== 'ndjson' && format !== 'bundle') throw new UsageError('--format must be ndjson or bundle')
  return format === 'ndjson' ? 'application/fhir+ndjson' : 'application/fhir+json'
}

function bodyOf(file: string): object {
  if (file === '-') return Readable.toWeb(process.stdin)
  const counter = countingBytes('Sent bytes', sizeOf(file))
  return Readable.toWeb(createReadStream(file).pipe(counter))
}

/** @throws UsageError where it cannot be read */
function sizeOf(file: string): number {
  try {
    return statSync(file).size
  } catch (error) {
    throw new UsageError(`${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`)
  }
}

/** Passes everything on, and shows on a terminal how much it was. */
function countingBytes(what: string, total: number): Transform {
  const bar = total === 0 ? undefined : progressOf(what, total)
  return new Transform({
    transform: (chunk: Buffer, _encoding, done) => {
      bar?.add(chunk.length)
      done(null, chunk)
    },
    flush: (done) => {
      bar?.end()
      done()
    },
  })
}

/** A refused resource is a refusal of the command as well: a script must not go on as if all were there. */
function tell({ out }: Given, answer: Imported): void {
  const { imported, updated, refused } = answer
  const rows = refused.map(({ line, resource = '', reason }) => [
    line === undefined ? '' : `line ${line}`,
    resource,
    reason,
  ])
  out.result(answer, [`Imported ${imported}, updated ${updated}, refused ${refused.length}`, ...table(rows)])
  if (refused.length > 0) process.exitCode = 1
}
