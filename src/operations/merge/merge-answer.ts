/** The output of $merge and $unmerge. */
import type { Parameters, Patient, Task } from 'fhir/r4'
import type { OperationInput } from '../../core/operation.ts'
import { type Issue, toOutcome } from '../../fhir/outcome.ts'
import type { Versioned } from '../../repository/repository.ts'
import type { Moved } from './move-references.ts'

export interface Merged {
  readonly source: Versioned<Patient>
  readonly target: Versioned<Patient>
  readonly moved: Moved
  /** The Task for the remaining references, if there are more than one change moves. */
  readonly task?: Versioned<Task>
}

/** https://hl7.org/fhir/R5/patient-operation-merge.html: input, outcome, result and task. */
export function mergeAnswer(input: OperationInput, merged: Merged, isPreview: boolean): Parameters {
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
    { severity: 'information', code: 'informational', diagnostics: done },
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

const information = (diagnostics: string): Issue => ({ severity: 'information', code: 'informational', diagnostics })

const resources = (count: number): string => `${count} ${count === 1 ? 'resource' : 'resources'}`

/** For example `3 resources (2 Observation, 1 Task)`. */
export function counted(changed: readonly Versioned[]): string {
  const types = [...Map.groupBy(changed, ({ type }) => type)].map(([type, list]) => `${list.length} ${type}`)
  return types.length === 0 ? resources(0) : `${resources(changed.length)} (${types.sort().join(', ')})`
}
