/** Which requests a rule is for. */
import { INTERACTIONS as OF_ROUTES } from '../faults/matching.ts'
import type { JudgedRequest, Requests } from './profile.ts'

const CONDITIONAL: readonly string[] = [
  ...['conditional-create', 'conditional-update', 'conditional-patch', 'conditional-delete'],
]

/** https://hl7.org/fhir/R4/valueset-restful-interaction.html, with the searches as they are routed, and the conditional ones. */
export const INTERACTIONS: readonly string[] = [...OF_ROUTES, ...CONDITIONAL, 'capabilities']

export const isFor = (
  { interactions, types, otherThan, operations, otherOperations }: Requests = {},
  request: Pick<JudgedRequest, 'interactions' | 'type' | 'operation'>,
): boolean =>
  (interactions === undefined || request.interactions.some((one) => interactions.includes(one))) &&
  (types === undefined || types.includes(request.type)) &&
  (otherThan === undefined || (request.type !== '' && !otherThan.includes(request.type))) &&
  (operations === undefined || operations.includes(request.operation)) &&
  (otherOperations === undefined || (request.operation !== '' && !otherOperations.includes(request.operation)))
