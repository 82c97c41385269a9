/** Binary: readable by anyone who may read the resource in its securityContext. https://hl7.org/fhir/R4/binary.html */
import type { Binary, DocumentReference } from 'fhir/r4'
import type { Context } from '../core/context.ts'
import { defineProvider, standard } from '../core/provider.ts'
import { FhirError, unprocessable } from '../fhir/outcome.ts'
import { type LocalReference, localReference } from '../fhir/reference.ts'
import type { AnyResource } from '../fhir/resource.ts'
import type { Versioned } from '../repository/repository.ts'

export const binary = defineProvider('Binary', {
  interactions: {
    ...standard,
    create: async (ctx, resource) => {
      checkSecurityContext(ctx, resource)
      return standard.create(ctx, resource)
    },
    update: async (ctx, resource) => {
      checkSecurityContext(ctx, resource)
      return standard.update(ctx, resource)
    },
    read: async (ctx, type, id) => readable(ctx, await standard.read(ctx, type, id)),
    vread: async (ctx, type, id, version) => readable(ctx, await standard.vread(ctx, type, id, version)),
  },
  referencePolicy: 'enforced',
  patientsOf: patientsOfDocuments,
  documentation:
    'A content is written and read as it is, by its own media type (POST [base]/Binary with the bytes, GET with Accept: */*), ' +
    'or as a resource (application/fhir+json, application/fhir+xml, _format). GET serves ranges. X-Security-Context is ' +
    'Binary.securityContext, a resource of the same clinic.',
})

const SECURITY_CONTEXT = 'Binary.securityContext'

/**
 * The securityContext must name a resource of the clinic, as access is known only for those. In a transaction that
 * resource may come after the Binary.
 */
function checkSecurityContext(ctx: Context, resource: AnyResource): void {
  const { reference } = (resource as Binary).securityContext ?? {}
  if (reference === undefined) return
  const named = targetOf(ctx, reference)
  if (named === undefined) {
    throw unprocessable(
      `${SECURITY_CONTEXT}.reference is '${reference.slice(0, 200)}'; name a resource of this clinic, as Patient/<id> (X-Security-Context says the same)`,
      { expression: `${SECURITY_CONTEXT}.reference` },
    )
  }
  ctx.unit.checkBeforeCommit(`${SECURITY_CONTEXT} ${reference}`, async () => {
    if ((await ctx.find(named.type, named.id)) !== undefined) return
    throw unprocessable(
      `${SECURITY_CONTEXT}: there is no ${named.type} with id '${named.id}' in this clinic; create it first, or leave the security context out`,
      { expression: `${SECURITY_CONTEXT}.reference` },
    )
  })
}

/**
 * Every user of a clinic may read all its resources; deleted ones cannot be read, and neither can a Binary whose
 * securityContext was deleted.
 */
async function readable(ctx: Context, version: Versioned): Promise<Versioned> {
  const { reference } = (version as Versioned<Binary>).resource.securityContext ?? {}
  const named = reference === undefined ? undefined : targetOf(ctx, reference)
  if (reference === undefined || (named !== undefined && (await ctx.find(named.type, named.id)) !== undefined)) {
    return version
  }
  throw new FhirError(403, {
    code: 'forbidden',
    diagnostics: `The security context of this Binary, '${reference.slice(0, 200)}', is no resource of this clinic that can be read`,
    expression: `${SECURITY_CONTEXT}.reference`,
  })
}

const targetOf = ({ baseUrl }: Context, reference: string): LocalReference | undefined => {
  const named = localReference(reference, baseUrl)
  return named?.version === undefined ? named : undefined
}

/**
 * The patients of the documents that contain a Binary, which itself names at most its securityContext. While the index
 * of these links is incomplete, as after an upgrade, they are unknown, and the file is served all the same.
 */
async function patientsOfDocuments(ctx: Context, id: string): Promise<readonly string[]> {
  const links = [`Binary/${id}`, `${ctx.baseUrl}/Binary/${id}`]
  try {
    const documents = await ctx.search<DocumentReference>('DocumentReference', `location=${links.join(',')}`)
    return [...new Set(documents.flatMap(({ resource }) => patientOf(ctx, resource)))]
  } catch (error) {
    if (error instanceof FhirError) return []
    throw error
  }
}

function patientOf({ baseUrl }: Context, { subject }: DocumentReference): readonly string[] {
  const named = subject?.reference === undefined ? undefined : localReference(subject.reference, baseUrl)
  return named?.type === 'Patient' ? [named.id] : []
}
