/** Patient/$merge, as R5 defines it: https://hl7.org/fhir/R5/patient-operation-merge.html. */

import type { Parameters, Patient, Task } from 'fhir/r4'
import { readSettings } from '../../clinics/settings.ts'
import type { Context } from '../../core/context.ts'
import { Accepted, defineOperation, type OperationInput } from '../../core/operation.ts'
import { conflict, type Issue, information, toOutcome, unprocessable } from '../../fhir/outcome.ts'
import { isReplaced } from '../../matching/placeholder.ts'
import type { Versioned } from '../../repository/repository.ts'
import { findPatient, type Named, namedPatient, type Staff, staffOf } from './merge-input.ts'
import { requireNoJob, stageJob } from './merge-job.ts'
import { type MergeBegin, stageMergeProvenance } from './merge-provenance.ts'
import { checkResult, mergedTarget, replacedSource } from './merged-patients.ts'
import { type Moved, moveAtOnce, type Position } from './move-references.ts'

export const patientMerge = defineOperation('patient-merge', async (request) => {
  const { access, input } = request
  const asked: MergeRequest = {
    by: staffOf(request, 'merge'),
    source: namedPatient(input, 'source-patient'),
    target: namedPatient(input, 'target-patient'),
    result: input['result-patient'] as Patient | undefined,
  }
  const isPreview = input.preview === true
  const merged = await (isPreview ? merge(await access.reader(), asked) : access.change((ctx) => merge(ctx, asked)))
  const parameters = mergeAnswer(input, merged, isPreview)
  return merged.task === undefined || isPreview ? parameters : new Accepted(parameters)
})

interface MergeRequest {
  readonly by: Staff
  readonly source: Named
  readonly target: Named
  readonly result: Patient | undefined
}

/** @throws FhirError 400, 404, 409, 410 or 422 */
async function merge(ctx: Context, { by, result, ...asked }: MergeRequest): Promise<Merged> {
  const source = await findPatient(ctx, asked.source)
  const target = await findPatient(ctx, asked.target)
  await checkPair(ctx, source, target)
  const begin = {
    source: { id: source.id, version: source.version },
    target: { id: target.id, version: target.version },
  }
  const replaced = await ctx.unit.put(replacedSource(source.resource, target.id, ctx.baseUrl), 'PUT')
  const merged = await putTarget(ctx, { source, target, result, asked: [asked.source, asked.target] })
  const moved = await moveAtOnce(ctx, { from: source.id, to: target.id })
  await stageMergeProvenance(ctx, by, begin, [merged, replaced, ...moved.changed])
  if (moved.rest === undefined) return { source: replaced, target: merged, moved }
  const task = await stageRest(ctx, by, begin, moved, moved.rest)
  return { source: replaced, target: merged, moved, task }
}

const stageRest = (ctx: Context, by: Staff, begin: MergeBegin, { changed }: Moved, position: Position) =>
  stageJob(ctx, { kind: 'merge', begin, by: { id: by.id, name: by.name }, changed: changed.length, position })

/** @throws FhirError 409 or 422 */
async function checkPair(ctx: Context, source: Versioned<Patient>, target: Versioned<Patient>): Promise<void> {
  const ofSource = { expression: 'source-patient' }
  const ofTarget = { expression: 'target-patient' }
  const [from, to] = [`Patient/${source.id}`, `Patient/${target.id}`]
  if (source.id === target.id) {
    throw unprocessable(`source-patient and target-patient are both ${from}; name two patients`, {
      expression: ['source-patient', 'target-patient'],
    })
  }
  if (isReplaced(source.resource))
    throw unprocessable(`${from} has been replaced already, as its link says; name one that has not`, ofSource)
  if (isReplaced(target.resource))
    throw unprocessable(`${to} has been replaced, as its link says; name the patient that replaces it`, ofTarget)
  if (target.resource.active === false)
    throw unprocessable(`${to} is inactive; make it active first, or exchange source and target`, ofTarget)
  await requireNoJob(ctx, source.id, target.id)
}

interface TargetParts {
  readonly source: Versioned<Patient>
  readonly target: Versioned<Patient>
  readonly result: Patient | undefined
  readonly asked: readonly Named[]
}

/**
 * A result given in the request is written like an update by the client; a computed one bypasses the rules of the
 * providers. @throws FhirError 400, 409 or 422
 */
async function putTarget(ctx: Context, { source, target, result, asked }: TargetParts): Promise<Versioned<Patient>> {
  const { baseUrl } = ctx
  if (result === undefined) {
    const { defaultRegion: region } = await readSettings(ctx.unit, ctx.clinic)
    return await ctx.unit.put(mergedTarget(target.resource, source.resource, source.id, { baseUrl, region }), 'PUT')
  }
  ctx.unit.validate(result, 'Patient')
  const identifiers = asked.flatMap((one) => one.identifiers)
  checkResult(result, { sourceId: source.id, targetId: target.id, identifiers, baseUrl })
  const { versionId } = result.meta ?? {}
  if (versionId !== undefined && versionId !== String(target.version)) {
    throw conflict(
      `result-patient was made from version ${versionId} of Patient/${target.id}, which has version ${target.version} by now; read it again`,
      { expression: 'result-patient' },
    )
  }
  return await ctx.update<Patient>(result)
}

export interface Merged {
  readonly source: Versioned<Patient>
  readonly target: Versioned<Patient>
  readonly moved: Moved
  /** The Task for the remaining references, if there are more than one change moves. */
  readonly task?: Versioned<Task>
}

/** https://hl7.org/fhir/R5/patient-operation-merge.html: input, outcome, result and task. */
function mergeAnswer(input: OperationInput, merged: Merged, isPreview: boolean): Parameters {
  const { target, task } = merged
  const result = isPreview ? unwritten(target.resource) : target.resource
  return {
    resourceType: 'Parameters',
    parameter: [
      { name: 'input', resource: inputParameters(input) },
      { name: 'outcome', resource: toOutcome(issuesOf(merged, isPreview)) },
      { name: 'result', resource: result },
      ...(task === undefined || isPreview ? [] : [{ name: 'task', resource: task.resource }]),
    ],
  }
}

/** Removes version and time from a preview, which has not been stored. */
function unwritten({
  meta: { versionId: _versionId, lastUpdated: _lastUpdated, ...meta } = {},
  ...patient
}: Patient): Patient {
  return { ...patient, ...(Object.keys(meta).length === 0 ? {} : { meta }) }
}

const VALUES = {
  preview: 'valueBoolean',
  'source-patient': 'valueReference',
  'target-patient': 'valueReference',
} as const

const inputParameters = (input: OperationInput): Parameters => ({
  resourceType: 'Parameters',
  parameter: Object.entries(input).flatMap(([name, value]) =>
    name === 'result-patient'
      ? [{ name, resource: value as Patient }]
      : [value].flat().map((one) => ({ name, [VALUES[name as keyof typeof VALUES] ?? 'valueIdentifier']: one })),
  ),
})

function issuesOf({ source, target, moved, task }: Merged, isPreview: boolean): readonly Issue[] {
  const { changed, naming, rest } = moved
  const pair = `Patient/${source.id} into Patient/${target.id}`
  const count = `${rest === undefined ? '' : 'at least '}${counted(changed)}`
  const done = isPreview
    ? `Nothing was changed. The merge of ${pair} would change the references in ${count}`
    : `Merged ${pair}; the references in ${counted(changed)} were moved`
  return [
    information(done),
    ...(task === undefined || isPreview
      ? []
      : [
          information(
            `More resources are looked through in the background; Task/${task.id} is completed when all references are moved`,
          ),
        ]),
    ...(naming === 0
      ? []
      : [
          information(
            `References in ${resources(naming)} name a version of Patient/${source.id} and stay, as that version does`,
          ),
        ]),
  ]
}

const resources = (count: number): string => `${count} ${count === 1 ? 'resource' : 'resources'}`

/** For example `3 resources (2 Observation, 1 Task)`. */
export function counted(changed: readonly Versioned[]): string {
  const types = [...Map.groupBy(changed, ({ type }) => type)].map(([type, list]) => `${list.length} ${type}`)
  return types.length === 0 ? resources(0) : `${resources(changed.length)} (${types.sort().join(', ')})`
}
