/**
 * The extension of a Schedule for the number of simultaneous visits. Its definition is
 * resources/structure-definitions/schedule-capacity.json; docs/schedule.md explains it.
 */
import type { Schedule } from 'fhir/r4'
import { unprocessable } from '../fhir/outcome.ts'

const CAPACITY_URL = 'https://sandbox-emr.example/fhir/StructureDefinition/schedule-capacity'
const MOST = 1_000

/** 1 if the Schedule states none. */
export const capacityOf = ({ extension }: Schedule): number =>
  extension?.find(({ url }) => url === CAPACITY_URL)?.valuePositiveInt ?? 1

/** @throws FhirError 422 */
export function checkCapacity({ extension = [] }: Schedule): void {
  const given = extension.filter(({ url }) => url === CAPACITY_URL)
  const [first] = given
  if (first === undefined) return
  const { valuePositiveInt: capacity = 0 } = first
  if (given.length === 1 && capacity >= 1 && capacity <= MOST) return
  throw unprocessable(`A Schedule has the extension ${CAPACITY_URL} once, with valuePositiveInt from 1 to ${MOST}`, {
    expression: `Schedule.extension[${extension.indexOf(first)}]`,
  })
}
