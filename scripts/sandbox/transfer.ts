/** `export` and `import`: the resources of a clinic as a stream, never as a whole in memory. */

import { createReadStream, createWriteStream, statSync } from 'node:fs'
import { PassThrough, Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ReadableStream } from 'node:stream/web'
import type { ResetPreview } from '../../dashboard/api/rehearsal-answers.ts'
import { noMore, onlyWord, textOf, UsageError } from './arguments.ts'
import type { Command, Given } from './command.ts'
import { progressOf, table } from './output.ts'
import type { Server } from './server.ts'

export const exportCommand: Command = {
  what: 'Writes all resources of the clinic, one in each line, or as a Bundle.',
  usage: ['export [--out FILE] [--format ndjson|bundle]'],
  help: ['--out FILE   absent: standard output'],
  examples: ['export --out clinic.ndjson', 'export --format bundle --out clinic.json'],
  options: { out: { type: 'string' }, format: { type: 'string', default: 'ndjson' } },
  run: async ({ server, words, values }) => {
    noMore(words)
    const format = textOf(values, 'format') ?? 'ndjson'
    const { body } = await server.open({ path: server.own(`export?format=${encodeURIComponent(format)}`) })
    const file = textOf(values, 'out')
    await pipeline(
      Readable.fromWeb((body ?? new Blob().stream()) as ReadableStream),
      // A Bundle has no lines by which it could be counted.
      format === 'ndjson' ? counted('Exported', await resourcesOf(server), linesIn) : new PassThrough(),
      file === undefined ? process.stdout : createWriteStream(file),
      // Standard output is not ours to close.
      { end: file !== undefined },
    )
  },
}

/** The number of resources, of which an export tells nothing itself; only where somebody sees how far it is. */
async function resourcesOf(server: Server): Promise<number> {
  if (!process.stderr.isTTY) return 0
  const { counts } = await server.ask<ResetPreview>({ path: server.own('reset') })
  return Object.values(counts).reduce((sum, count) => sum + count, 0)
}

const NEW_LINE = 0x0a
const linesIn = (chunk: Buffer): number => chunk.reduce((count, byte) => count + Number(byte === NEW_LINE), 0)

interface Imported {
  readonly imported: number
  readonly updated: number
  readonly refused: readonly Refused[]
  /** The number of refused ones that are not named. */
  readonly more?: number
}

interface Refused {
  /** Its number: lines are counted from 1, entries from 0. */
  readonly line?: number
  readonly entry?: number
  readonly resource?: string
  readonly reason: string
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
  const counter = counted('Sent bytes', sizeOf(file), ({ length }) => length)
  const source = createReadStream(file).on('error', (error) => counter.destroy(error))
  return Readable.toWeb(source.pipe(counter))
}

/** @throws UsageError where it cannot be read */
function sizeOf(file: string): number {
  try {
    const found = statSync(file)
    if (found.isDirectory()) throw new Error('it is a folder')
    return found.size
  } catch (error) {
    throw new UsageError(`${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`)
  }
}

/** Passes everything on, and shows on a terminal how much it was. @param total 0: it is not known */
function counted(what: string, total: number, countIn: (chunk: Buffer) => number): Transform {
  const bar = total === 0 ? undefined : progressOf(what, total)
  return new Transform({
    transform: (chunk: Buffer, _encoding, done) => {
      if (bar !== undefined) bar.add(countIn(chunk))
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
  const { imported, updated, refused, more = 0 } = answer
  const rows = refused.map(({ line, entry, resource = '', reason }) => [
    line === undefined ? `entry ${entry}` : `line ${line}`,
    resource,
    reason,
  ])
  const rest = more === 0 ? [] : [`and ${more} more`]
  out.result(answer, [
    `Imported ${imported}, updated ${updated}, refused ${refused.length + more}`,
    ...table(rows),
    ...rest,
  ])
  if (refused.length > 0) process.exitCode = 1
}
