/** Finds the Patients of a merge, and checks who may request it. */
import type { Identifier, Patient, Reference } from 'fhir/r4'
import type { Context, UserAgent } from '../../core/context.ts'
import type { OperationInput, OperationRequest } from '../../core/operation.ts'
import { badRequest, FhirError, unprocessable } from '../../fhir/outcome.ts'
import { localReference } from '../../fhir/reference.ts'
import { isObject } from '../../fhir/resource.ts'
import { isReplaced } from '../../matching/placeholder.ts'
import type { Versioned } from '../../repository/repository.ts'
import { tokenText } from '../../search/value.ts'
import { isSameIdentifier } from './merged-patients.ts'

export type Staff = UserAgent

/**
 * Only staff and admins of the clinic may merge records; not operators, who run the service, and no live call.
 * @throws FhirError 403
 */
export function staffOf({ access: { agent }, call }: OperationRequest, what: string): Staff {
  if (call === undefined && agent.kind === 'user' && agent.role !== 'operator') return agent
  const who = agent.kind === 'user' && call === undefined ? 'an operator' : 'a live call'
  throw new FhirError(403, {
    code: 'forbidden',
    diagnostics: `Only staff and admins of the clinic may ${what} patients, and ${who} may not; log in as one of them`,
  })
}

/** A Patient as named in the request. */
export interface Named {
  readonly parameter: 'source-patient' | 'target-patient'
  readonly reference?: Reference
  readonly identifiers: readonly Identifier[]
}

/** @throws FhirError 400 unless it is named by a reference or by identifiers */
export function namedPatient(input: OperationInput, parameter: Named['parameter']): Named {
  const reference = input[parameter] as Reference | undefined
  const given = (input[`${parameter}-identifier`] ?? []) as readonly Identifier[]
  if (reference === undefined && given.length === 0)
    throw badRequest(`Give ${parameter}, a reference, or ${parameter}-identifier`, { expression: parameter })
  if (reference !== undefined && given.length > 0)
    throw badRequest(`${parameter} and ${parameter}-identifier are both given; give one of them`, {
      expression: parameter,
    })
  const identifiers = [...given, ...(reference?.identifier === undefined ? [] : [reference.identifier])]
  if (!identifiers.every(isIdentifier))
    throw badRequest(`An identifier of ${parameter} has no value; give its value, and its system, as text`, {
      expression: parameter,
    })
  if (reference?.reference !== undefined) return { parameter, reference, identifiers }
  if (identifiers.length > 0) return { parameter, identifiers }
  throw badRequest(`${parameter} has neither a reference nor an identifier; give one of them`, {
    expression: parameter,
  })
}

/** Needed because the content of a parameter has not been checked yet. */
const isIdentifier = (one: unknown): one is Identifier =>
  isObject(one) &&
  typeof one.value === 'string' &&
  one.value !== '' &&
  (one.system === undefined || typeof one.system === 'string')

/** @throws FhirError 400, 404, 410 or 422 naming the parameter */
export async function findPatient(ctx: Context, named: Named): Promise<Versioned<Patient>> {
  const { parameter, reference, identifiers } = named
  if (reference === undefined) return await findByIdentifiers(ctx, named)
  const found = await readPatient(ctx, parameter, referredId(ctx, parameter, reference))
  const lacking = identifiers.find((one) => !found.resource.identifier?.some((other) => isSameIdentifier(one, other)))
  if (lacking !== undefined) {
    const what = `Patient/${found.id} does not have the identifier that ${parameter} names it by; give either alone`
    throw unprocessable(what, { expression: parameter })
  }
  return found
}

/** @throws FhirError 404 or 410 naming the parameter */
export async function readPatient(ctx: Context, parameter: string, id: string): Promise<Versioned<Patient>> {
  const found = await ctx.unit.read<Patient>('Patient', id)
  if (found === undefined) throw absentPatient(parameter, `there is no Patient/${id} in this clinic`)
  if (!found.deleted) return found
  throw new FhirError(410, {
    code: 'deleted',
    diagnostics: `${parameter}: Patient/${id} was deleted (version ${found.version})`,
    expression: parameter,
  })
}

const absentPatient = (parameter: string, what: string): FhirError =>
  new FhirError(404, { code: 'not-found', diagnostics: `${parameter}: ${what}`, expression: parameter })

/** The Patient.id of a reference. @throws FhirError 400 */
export function referredId(ctx: Context, parameter: string, { reference = '' }: Reference): string {
  const local = localReference(String(reference), ctx.baseUrl)
  if (local?.type === 'Patient' && local.version === undefined) return local.id
  throw badRequest(`${parameter} is '${reference}'; name a patient of this clinic as Patient/<id>, without a version`, {
    expression: parameter,
  })
}

/**
 * Finds the Patient with the identifiers. Replaced records keep their identifiers, but count only if no other record
 * has them.
 */
async function findByIdentifiers(ctx: Context, { parameter, identifiers }: Named): Promise<Versioned<Patient>> {
  const query = new URLSearchParams(
    identifiers.map(({ system, value = '' }): [string, string] => ['identifier', tokenText(system, value)]),
  )
  const found = await ctx.search<Patient>('Patient', String(query))
  const current = found.filter(({ resource }) => !isReplaced(resource))
  const [only, ...others] = current.length === 0 ? found : current
  if (only === undefined)
    throw absentPatient(`${parameter}-identifier`, 'no patient of this clinic has all of the identifiers')
  if (others.length === 0) return only
  throw unprocessable(
    `${others.length + 1} patients have the identifiers of ${parameter}; give more of them, or a reference`,
    { expression: `${parameter}-identifier` },
  )
}
