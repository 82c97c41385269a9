/** Operations at system, type and instance level: https://hl7.org/fhir/R4/operations.html. */
import { FhirError, notFound } from '../fhir/outcome.ts'
import { readInput } from '../operations/input.ts'
import type { Operation } from '../operations/operation.ts'
import { writeOutput } from '../operations/output.ts'
import type { ClinicAccess } from '../providers/context.ts'
import type { InteractionRequest, InteractionResponse } from './interaction.ts'
import type { Route } from './routes.ts'

/** @throws FhirError 404 when the type has no such operation, 400 naming each parameter at fault. */
export async function runOperation(
  access: ClinicAccess,
  code: string,
  { level, method }: Pick<Route, 'level' | 'method'>,
  request: InteractionRequest,
): Promise<InteractionResponse> {
  const { id, services } = request
  const operation = findOperation(request, code, level)
  if (method === 'GET' && operation.definition.affectsState === true) {
    throw new FhirError(
      405,
      { code: 'not-supported', diagnostics: `$${code} changes data, so it is called with POST` },
      { allow: 'POST' },
    )
  }
  const input = readInput(operation.definition, method === 'GET' ? request.query : request.body)
  const output = await operation.handler({
    access,
    input,
    ...(id === '' ? {} : { id }),
    base: request.base,
    integrations: services.integrations,
  })
  return { status: 200, text: JSON.stringify(writeOutput(operation.definition, output)), kind: 'read' }
}

/** @throws FhirError 404 naming the operations there are. */
export function findOperation(
  { type, services }: Pick<InteractionRequest, 'type' | 'services'>,
  code: string,
  level: Route['level'],
): Operation {
  const operations = services.providers.get(type)?.operations ?? []
  const operation = operations.find((candidate) => candidate.code === code && candidate.definition[level])
  if (operation !== undefined) return operation
  const offered = operations.filter(({ definition }) => definition[level]).map((candidate) => `$${candidate.code}`)
  const where = level === 'system' ? 'the system' : `${type} at ${level} level`
  throw notFound(
    `There is no operation $${code} on ${where}${offered.length === 0 ? '' : `; it has ${offered.join(', ')}`}`,
  )
}
