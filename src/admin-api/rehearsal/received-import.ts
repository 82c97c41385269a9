/**
 * An import as it is received: split into items while it arrives, some of which are written together. What takes
 * processor time, parsing and the rules, is done by a work thread, to which each part goes as an import of its own.
 */
import type { Context as KoaContext } from 'koa'
import type { Logger } from 'pino'
import type { Config } from '../../config.ts'
import { contentTooLarge } from '../../content/content-digest.ts'
import type { AccessOf } from '../../core/clinic-access.ts'
import { ensureShipped } from '../../core/shipped.ts'
import { badRequest, FhirError } from '../../fhir/outcome.ts'
import type { FairShares } from '../../http/admission/fair-shares.ts'
import { answerPart, type WorkThreads } from '../../http/admission/work-threads.ts'
import { failureOf } from '../../http/errors.ts'
import { stateOf, userAgentOf } from '../../http/exchange.ts'
import { announcedLength, bodyPieces, checkEncoding, invite, parseBody, textOf } from '../../http/message/body.ts'
import { contentTypeOf } from '../../http/message/format.ts'
import { BudgetError, currentBudget, unpaid } from '../../isolation/budget.ts'
import { yieldToEventLoop } from '../../isolation/fair-queue.ts'
import { ensureTestScripts } from '../../rehearsal/plans/plans.ts'
import {
  type ItemReading,
  importItems,
  importTogether,
  itemTooLong,
  readItems,
} from '../../rehearsal/transfer/import.ts'
import { batchesOf, type Item } from '../../rehearsal/transfer/items.ts'
import type { Repository } from '../../repository/repository.ts'
import { type Answer, Later, named, numberOf, Sum } from './import-answer.ts'
import { type BodyForm, BUNDLE, FORMS } from './import-forms.ts'

export interface ImportServices {
  readonly config: Pick<Config, 'limits'>
  readonly repository: Repository
  readonly access: AccessOf
  readonly logger: Logger
  /** Absent: an import is carried out in this thread. */
  readonly threads: WorkThreads | undefined
  /** Absent in a work thread, which gets the parts of an import. */
  readonly shares: FairShares | undefined
}

/** Most resources of an import that is written all or not at all. */
const MOST_ATOMIC = 1_000

interface ImportRequest {
  readonly koa: KoaContext
  readonly clinic: string
  readonly services: ImportServices
  readonly form: BodyForm
  readonly isAtomic: boolean
}

/** @throws FhirError 400, 413, 415, 422 for one that is written all or not at all; errors of the store */
export async function receiveImport(koa: KoaContext, clinic: string, services: ImportServices): Promise<void> {
  const form = FORMS.get(contentTypeOf(koa, [...FORMS.keys()]) ?? '') ?? BUNDLE
  const request: ImportRequest = { koa, clinic, services, form, isAtomic: isAtomic(koa.query.atomic) }
  // The body is consumed as it arrives, so the request cannot restart in a work thread.
  currentBudget()?.pinToThread()
  const { bodyBytes, binaryBytes } = services.config.limits
  await admit(koa, binaryBytes, request.isAtomic ? bodyBytes : IN_MEMORY)
  if (services.shares !== undefined) await ship(request)
  const items = form.split(withinLimit(bodyPieces(koa), binaryBytes), bodyBytes)
  const answer = request.isAtomic ? await importAtOnce(request, items) : await importAll(request, items)
  if (request.isAtomic && answer.refused.length > 0) koa.status = 422
  koa.body = answer.refused.length > 0 && request.isAtomic ? { error: NOTHING_WRITTEN, ...answer } : answer
}

const NOTHING_WRITTEN = 'Nothing was imported, as a resource was refused: see refused'

function isAtomic(asked: unknown): boolean {
  if (asked === undefined || asked === 'false') return false
  if (asked === 'true') return true
  throw badRequest(`atomic is '${String(asked).slice(0, 64)}'; it is true or false (the default)`)
}

/** Bytes of an import that are in memory, besides long items. */
const IN_MEMORY = 2 * 1024 * 1024

async function admit(koa: KoaContext, limit: number, inMemory: number): Promise<void> {
  checkEncoding(koa)
  const length = announcedLength(koa)
  if (length === 0) throw noResource()
  if (length !== undefined && length > limit) throw contentTooLarge(limit)
  const { bodies, holder = '' } = stateOf(koa)
  await bodies?.reserveFor(koa.res, holder, Math.min(length ?? inMemory, inMemory))
  invite(koa)
}

/** @throws FhirError 413 beyond the limit, which a body that comes in chunks does not announce */
async function* withinLimit(pieces: AsyncIterable<Buffer>, limit: number): AsyncGenerator<Buffer> {
  let size = 0
  for await (const piece of pieces) {
    size += piece.length
    if (size > limit) throw contentTooLarge(limit)
    yield piece
  }
}

const noResource = (): FhirError => badRequest('The body has no resource; it must have at least one to import')

/** A clinic that nobody has used yet lacks the profiles that resources are held to, and the TestScripts of TestReports. */
const ship = ({ clinic, services: { access, repository } }: ImportRequest): Promise<void> =>
  unpaid(async () => {
    const target = access(clinic, { kind: 'server' })
    await ensureShipped(target)
    await ensureTestScripts(target, repository, clinic)
  })

/**
 * Writes what has arrived, part by part. Items that refer to something that is not there are tried again at the end.
 * @throws FhirError with the number of resources that are written already
 */
async function importAll(request: ImportRequest, items: AsyncIterable<Item>): Promise<Answer> {
  const sum = new Sum()
  try {
    const later = new Later(request.form)
    for await (const batch of batchesOf(items)) sum.add(later.withoutKept(await carriedOut(request, batch), batch))
    for await (const batch of batchesOf(later.items)) sum.add(await carriedOut(request, batch))
  } catch (error) {
    throw sum.toldIn(failureOf(error, request.services.logger, PLACE))
  }
  if (sum.isEmpty) throw noResource()
  return sum.answer
}

const PLACE = { method: 'POST', route: '/clinics/:clinic/import' }

/** @throws FhirError 413 where there are too many */
async function importAtOnce(request: ImportRequest, items: AsyncIterable<Item>): Promise<Answer> {
  const { bodyBytes } = request.services.config.limits
  const all: Item[] = []
  let bytes = 0
  for await (const item of items) {
    all.push(item)
    bytes += item.bytes?.length ?? 0
    if (all.length > MOST_ATOMIC || bytes > bodyBytes) throw tooMuchAtOnce(bodyBytes)
  }
  if (all.length === 0) throw noResource()
  return await carriedOut(request, all)
}

const tooMuchAtOnce = (bytes: number): FhirError =>
  new FhirError(413, {
    code: 'too-long',
    diagnostics: `An import with atomic=true has at most ${MOST_ATOMIC} resources and ${bytes} bytes; nothing was imported. Send it in parts, or without atomic=true`,
  })

/** An item of which the bytes are there. */
type Whole = Item & Required<Pick<Item, 'bytes'>>

async function carriedOut(request: ImportRequest, batch: readonly Item[]): Promise<Answer> {
  const { services, form } = request
  const whole = batch.filter((item): item is Whole => item.bytes !== undefined)
  const tooLong = batch
    .filter(({ bytes }) => bytes === undefined)
    .map(({ number }) => named(form, { number, error: itemTooLong(form.name, services.config.limits.bodyBytes) }))
  if (whole.length === 0 || (request.isAtomic && tooLong.length > 0)) return { ...NOTHING, refused: tooLong }
  const answer = await withRoom(request, whole, () =>
    services.threads === undefined ? here(request, whole) : inThread(request, services.threads, whole),
  )
  return { ...answer, refused: [...tooLong, ...answer.refused] }
}

const NOTHING = { imported: 0, updated: 0 }

/** Long items count among the bodies in memory, as if each had come in a request of its own. */
async function withRoom({ koa }: ImportRequest, items: readonly Whole[], work: () => Promise<Answer>): Promise<Answer> {
  const size = items.reduce((sum, { bytes }) => sum + bytes.length, 0)
  const { bodies, holder = '' } = stateOf(koa)
  const room = size > IN_MEMORY ? await bodies?.reserve(holder, size) : undefined
  try {
    return await work()
  } finally {
    room?.release()
  }
}

async function inThread({ koa, form }: ImportRequest, threads: WorkThreads, items: readonly Whole[]): Promise<Answer> {
  if (koa.res.destroyed) throw new BudgetError('left', 'its import')
  const part = { type: form.type, body: form.joined(items.map(({ bytes }) => bytes)) }
  const { status, body } = await answerPart(koa, threads, part)
  const answer = JSON.parse(Buffer.from(body).toString()) as Answer | { readonly error: string }
  if (!('refused' in answer)) throw new FhirError(status, { code: 'exception', diagnostics: answer.error })
  const { imported, updated, refused, more } = answer
  const asHere = refused.map((one) => ({ ...one, [form.name]: items[numberOf(one) - form.first]?.number ?? 0 }))
  return { imported, updated, refused: asHere, ...(more === undefined ? {} : { more }) }
}

async function here(request: ImportRequest, items: readonly Whole[]): Promise<Answer> {
  const { koa, clinic, services, form, isAtomic } = request
  await yieldToEventLoop()
  const access = services.access(clinic, userAgentOf(koa))
  const refusalOf = (error: unknown): FhirError => {
    const failure = failureOf(error, services.logger, PLACE)
    if (failure.status >= 500) throw failure
    return failure
  }
  const { parsed, refused } = readItems(items, readingOf(request), refusalOf)
  if (isAtomic && refused.length > 0) return { ...NOTHING, refused: refused.map((one) => named(form, one)) }
  const done = await (isAtomic ? importTogether : importItems)(access, parsed, refusalOf)
  return { ...done, refused: [...refused, ...done.refused].map((one) => named(form, one)) }
}

function readingOf({ form, services }: ImportRequest): ItemReading<Whole> {
  const what = `The ${form.name}`
  const parse = ({ bytes }: Whole) => parseBody(textOf(bytes, what), services.config.limits.jsonDepth, what)
  return { parse, resourceIn: form.resourceIn }
}
