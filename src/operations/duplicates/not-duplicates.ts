/**
 * Patient/$not-duplicates: staff declare that two records belong to two people, so that they are no longer listed as a
 * pair.
 */
import type { Reference } from 'fhir/r4'
import type { Context } from '../../core/context.ts'
import { defineOperation } from '../../core/operation.ts'
import { badRequest } from '../../fhir/outcome.ts'
import { localReference } from '../../fhir/reference.ts'
import { recordKind } from '../../repository/record-kinds.ts'
import type { UnitOfWork } from '../../repository/repository.ts'
import { idsOf, type PatientIds } from './duplicate-search.ts'

const NOT_DUPLICATES = recordKind<Declaration>('not-duplicates')

interface Declaration {
  /** The user who declared it. */
  readonly by: string
  /** Milliseconds since 1970 UTC. */
  readonly at: number
}

const keyOf = (patients: PatientIds): string => patients.join('/')

/** True if staff have declared that these are two people. */
export const areDeclaredDistinct = async ({ records }: UnitOfWork, patients: PatientIds): Promise<boolean> =>
  (await records.read(NOT_DUPLICATES, keyOf(patients))) !== undefined

export const patientNotDuplicates = defineOperation('patient-not-duplicates', ({ access, input }) =>
  access.change(async (ctx) => {
    const one = await patientIn(ctx, input.patient as Reference, 'patient')
    const other = await patientIn(ctx, input.other as Reference, 'other')
    if (one === other) {
      throw badRequest(`patient and other are both Patient/${one}; name two records`, { expression: 'other' })
    }
    const isRevoked = input.revoke === true
    await declare(ctx, idsOf(one, other), isRevoked)
    const referenceTo = (id: string): Reference => ({ reference: `Patient/${id}` })
    return { patient: referenceTo(one), other: referenceTo(other), declared: !isRevoked }
  }),
)

/**
 * @returns Patient.id
 * @throws FhirError 400 for another reference, 404 or 410
 */
async function patientIn(ctx: Context, { reference = '' }: Reference, name: string): Promise<string> {
  const local = localReference(reference, ctx.baseUrl)
  if (local?.type !== 'Patient') {
    throw badRequest(`Parameter ${name} must refer to a Patient of this server, as Patient/[id]`, { expression: name })
  }
  return (await ctx.read('Patient', local.id)).id
}

/** Stages the declaration, or its revocation. The first declaration is kept. */
async function declare({ unit, agent, now }: Context, patients: PatientIds, isRevoked: boolean): Promise<void> {
  const key = keyOf(patients)
  const isDeclared = await areDeclaredDistinct(unit, patients)
  if (isRevoked && isDeclared) unit.records.delete(NOT_DUPLICATES, key)
  if (isRevoked || isDeclared) return
  unit.records.put(NOT_DUPLICATES, key, { by: agent.kind === 'user' ? agent.id : agent.kind, at: now })
}
