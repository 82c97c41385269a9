/** Patient/$unmerge: reverses the last merge of a Patient, with the help of its Provenance. */

import type { Parameters, Patient, Reference, Task } from 'fhir/r4'
import type { Context } from '../../core/context.ts'
import { Accepted, defineOperation } from '../../core/operation.ts'
import { badRequest, conflict, type Issue, information, toOutcome, unprocessable } from '../../fhir/outcome.ts'
import { isReplaced } from '../../matching/placeholder.ts'
import type { Versioned } from '../../repository/repository.ts'
import { readPatient, referredId, type Staff, staffOf } from './merge-input.ts'
import { requireNoJob, stageJob } from './merge-job.ts'
import { lastMergeOf, type MergeBegin, stageUnmergeProvenance } from './merge-provenance.ts'
import { counted } from './patient-merge.ts'
import { FIRST_RETURN, type ReturnPosition, takeBack, takeBackPage } from './take-back.ts'

/** Limits of one change; the rest is left to the background. */
const MOST = { looked: 1_000, characters: 8_000_000 } as const
const PAGE = 250

const SOURCE = { expression: 'source-patient' } as const

export const patientUnmerge = defineOperation('patient-unmerge', async (request) => {
  const { access, input, id } = request
  const by = staffOf(request, 'unmerge')
  const isPreview = input.preview === true
  const work = (ctx: Context) => unmerge(ctx, by, sourceId(ctx, input['source-patient'] as Reference | undefined, id))
  const unmerged = await (isPreview ? work(await access.reader()) : access.change(work))
  const parameters = answer(unmerged, isPreview)
  return unmerged.task === undefined || isPreview ? parameters : new Accepted(parameters)
})

/** @param id id of the Patient on which the operation is invoked. @throws FhirError 400 */
function sourceId(ctx: Context, reference: Reference | undefined, id: string | undefined): string {
  if (reference === undefined && id !== undefined) return id
  if (reference === undefined)
    throw badRequest('Give source-patient, a reference, or call the operation on that Patient', SOURCE)
  if (reference.reference === undefined)
    throw badRequest('source-patient has no reference; name the patient as Patient/<id>', SOURCE)
  const referred = referredId(ctx, 'source-patient', reference)
  if (id === undefined || id === referred) return referred
  throw badRequest(
    `source-patient is Patient/${referred}, but the operation is called on Patient/${id}; leave it out`,
    SOURCE,
  )
}

interface Unmerged {
  readonly source: Versioned<Patient>
  readonly target: Versioned<Patient>
  readonly returned: Returned
  readonly task?: Versioned<Task>
}

/** @throws FhirError 400, 404, 409, 410 or 422 */
async function unmerge(ctx: Context, by: Staff, id: string): Promise<Unmerged> {
  const source = await readPatient(ctx, 'source-patient', id)
  const begin = await mergeOf(ctx, source)
  const target = await findTarget(ctx, source, begin)
  const patients = [
    await returnedPatient(ctx, begin.source, source),
    await returnedPatient(ctx, begin.target, target),
  ] as const
  const returned = await takeBackAtOnce(ctx, begin)
  await stageUnmergeProvenance(ctx, by, returned.merges, [...patients, ...returned.changed])
  const [restored, remaining] = patients
  if (returned.rest === undefined) return { source: restored, target: remaining, returned }
  const task = await stageJob(ctx, {
    ...{ kind: 'unmerge', begin, by: { id: by.id, name: by.name } },
    ...{ changed: returned.changed.length, position: returned.rest },
  })
  return { source: restored, target: remaining, returned, task }
}

/** @throws FhirError 422 */
async function mergeOf(ctx: Context, { id, resource }: Versioned<Patient>): Promise<MergeBegin> {
  const begin = isReplaced(resource) ? await lastMergeOf(ctx, id) : undefined
  if (begin !== undefined) return begin
  throw unprocessable(
    isReplaced(resource)
      ? `No Provenance tells how Patient/${id} was merged: only what $merge has done can be taken back`
      : `Patient/${id} is not replaced by another patient, so there is no merge to take back; name the source of a merge`,
    SOURCE,
  )
}

/** @throws FhirError 409 */
async function findTarget(ctx: Context, source: Versioned, begin: MergeBegin): Promise<Versioned<Patient>> {
  await requireNoJob(ctx, source.id, begin.target.id)
  const pair = `Patient/${source.id} was merged into Patient/${begin.target.id}`
  const target = await ctx.find<Patient>('Patient', begin.target.id)
  if (target === undefined) throw conflict(`${pair}, which has been deleted since; restore it first, by a PUT`, SOURCE)
  if (!isReplaced(target.resource)) return target
  throw conflict(`${pair}, which has itself been merged into another one since; take that merge back first`, SOURCE)
}

/** The Patient as before the merge, with later changes kept. */
async function returnedPatient(
  ctx: Context,
  { id, version }: MergeBegin['source'],
  current: Versioned<Patient>,
): Promise<Versioned<Patient>> {
  const returned = await takeBack(ctx, { type: 'Patient', id, version: version + 1 })
  return (returned as Versioned<Patient> | undefined) ?? current
}

interface Returned {
  readonly merges: readonly Versioned[]
  readonly changed: readonly Versioned[]
  /** The position where the background continues. */
  readonly rest?: ReturnPosition
}

/** @throws FhirError 422 naming a resource that cannot be changed */
async function takeBackAtOnce(ctx: Context, begin: MergeBegin): Promise<Returned> {
  const merges = new Map<string, Versioned>()
  const changed: Versioned[] = []
  let [looked, characters] = [0, 0]
  for (let position: ReturnPosition | undefined = FIRST_RETURN; position !== undefined; ) {
    const page = await takeBackPage(ctx, begin, position, { count: PAGE, characters: MOST.characters })
    for (const one of page.merges) merges.set(one.id, one)
    changed.push(...page.changed)
    looked += page.looked
    characters += page.changed.reduce((sum, { text }) => sum + text.length, 0)
    position = page.next
    const isFull = looked >= MOST.looked || characters >= MOST.characters
    if (isFull && position !== undefined) return { merges: [...merges.values()], changed, rest: position }
  }
  return { merges: [...merges.values()], changed }
}

function answer({ source, target, returned, task }: Unmerged, isPreview: boolean): Parameters {
  const following = isPreview ? undefined : task
  const pair = `Patient/${source.id} into Patient/${target.id}`
  const count = counted(returned.changed)
  const issues: readonly Issue[] = [
    isPreview
      ? `Nothing was changed. To take back the merge of ${pair} would change ${returned.rest === undefined ? '' : 'at least '}${count}`
      : `Took back the merge of ${pair}; the references in ${count} were moved back`,
    ...(following === undefined
      ? []
      : [`The rest is done in the background; Task/${following.id} is completed when all references are moved back`]),
  ].map((diagnostics) => information(diagnostics))
  return {
    resourceType: 'Parameters',
    parameter: [
      { name: 'outcome', resource: toOutcome(issues) },
      { name: 'source', resource: source.resource },
      { name: 'target', resource: target.resource },
      ...(following === undefined ? [] : [{ name: 'task', resource: following.resource }]),
    ],
  }
}
