/** $validate: https://hl7.org/fhir/R4/resource-operation-validate.html. */
import type { OperationOutcome } from 'fhir/r4'
import type { Context } from '../core/context.ts'
import { defineOperation, type OperationRequest } from '../core/operation.ts'
import { profileIssues, profilePolicy } from '../core/profiles.ts'
import { badRequest, FhirError, type Issue, toOutcome } from '../fhir/outcome.ts'
import { type AnyResource, isObject } from '../fhir/resource.ts'
import { validate } from '../fhir/validate/validate.ts'
import { declaredBy } from '../profiles/check.ts'

const MODES = ['create', 'update', 'delete', 'profile'] as const
type Mode = (typeof MODES)[number]

/** Returns an OperationOutcome for any fault of the resource; a fault of the request is an error. */
export const validateResource = defineOperation('resource-validate', async (request) => {
  const { access, input, type = '', id } = request
  // A reader: staged writes are never committed, so that a create can be tried.
  const ctx = await access.reader()
  const mode = modeOf(input['mode'], id)
  if (mode === 'delete')
    return outcomeOf(await issuesOf(() => tryDelete(ctx, type, id ?? '')), `${type}/${id} can be deleted`)
  const resource = await resourceOf(request, ctx)
  const profile = profileOf(input['profile'], mode)
  const issues = [
    ...addressIssues(resource, type, id),
    ...validate(resource, { warnings: true }),
    ...(await profileIssues(ctx, {
      resource,
      profiles: profile === undefined ? [] : [profile],
      unknownProfile: (await profilePolicy(ctx)) === 'reject' ? 'error' : 'warning',
      thorough: true,
    })),
  ]
  const ofType = issues.some(isError) ? [] : await ctx.findings(resource as unknown as AnyResource)
  const found = [...issues, ...ofType]
  const tried = found.some(isError) ? [] : await issuesOf(() => tryWrite(ctx, mode, resource, id))
  return outcomeOf([...found, ...tried], allOk(resource, profile))
})

/** @throws FhirError 400 for an unknown mode, or one that does not exist at this level */
function modeOf(given: unknown, id: string | undefined): Mode | undefined {
  if (given === undefined) return undefined
  const mode = MODES.find((one) => one === given)
  const where = { expression: 'mode' }
  if (mode === undefined)
    throw badRequest(`Parameter mode is '${String(given).slice(0, 64)}'; it may be ${MODES.join(', ')}`, where)
  if (mode === 'create' && id !== undefined)
    throw badRequest('Parameter mode is create, which is asked of a type: POST [type]/$validate', where)
  if ((mode === 'update' || mode === 'delete') && id === undefined)
    throw badRequest(`Parameter mode is ${mode}, which is asked of an instance: POST [type]/[id]/$validate`, where)
  return mode
}

/** @throws FhirError 400 if the mode requires a profile and none is named */
function profileOf(given: unknown, mode: Mode | undefined): string | undefined {
  if (typeof given === 'string') return given
  if (mode === 'profile')
    throw badRequest('Parameter mode is profile, so parameter profile must name one', { expression: 'profile' })
  return undefined
}

/** The resource in the request, else the stored one. @throws FhirError 400 if there is neither, 404, 410 */
async function resourceOf({ input, type = '', id }: OperationRequest, ctx: Context): Promise<Record<string, unknown>> {
  const given = input['resource']
  if (isObject(given)) return given
  if (id !== undefined) return { ...(await ctx.read(type, id)).resource }
  throw badRequest('Parameter resource is missing; on a type there is nothing else to check', {
    expression: 'resource',
  })
}

function addressIssues(resource: Record<string, unknown>, type: string, id: string | undefined): readonly Issue[] {
  const { resourceType } = resource
  if (typeof resourceType === 'string' && resourceType !== type) {
    const diagnostics = `${resourceType} is not ${type}, whose address this is; send ${type}, or ask ${resourceType}/$validate`
    return [{ code: 'structure', diagnostics, expression: 'resourceType' }]
  }
  if (id === undefined || resource['id'] === undefined || resource['id'] === id) return []
  const diagnostics = `${type}.id is not '${id}', which the address says; they must be equal`
  return [{ code: 'value', diagnostics, expression: `${type}.id` }]
}

/** Runs the stages of a write that precede the commit. */
async function tryWrite(
  ctx: Context,
  mode: Mode | undefined,
  resource: Record<string, unknown>,
  id?: string,
): Promise<void> {
  const { id: own, ...content } = resource
  if (mode === 'create') await ctx.create(content as unknown as AnyResource)
  if (mode === 'update') await ctx.update({ ...content, id: id ?? own } as unknown as AnyResource)
  await ctx.unit.checkStaged()
}

async function tryDelete(ctx: Context, type: string, id: string): Promise<void> {
  await ctx.read(type, id)
  await ctx.delete(type, id)
  await ctx.unit.checkStaged()
}

/** The issues for which a write would be refused; faults of the server are thrown. */
async function issuesOf(work: () => Promise<void>): Promise<readonly Issue[]> {
  try {
    await work()
    return []
  } catch (error) {
    if (error instanceof FhirError && error.status < 500) return error.issues
    throw error
  }
}

const isError = ({ severity = 'error' }: Issue): boolean => severity === 'error' || severity === 'fatal'

function allOk(resource: Record<string, unknown>, profile: string | undefined): string {
  const profiles = [...declaredBy(resource), ...(profile === undefined ? [] : [profile])]
  return `All OK: the resource is a valid ${String(resource['resourceType'])}${profiles.length === 0 ? '' : `, checked against ${profiles.join(', ')}`}`
}

/** Reports each issue once: the write may be refused for an issue found before. */
function outcomeOf(found: readonly Issue[], ok: string): OperationOutcome {
  const said = new Map(found.map((issue) => [issue.diagnostics, issue]))
  const issues = [...said.values()].map((issue) => ({ ...issue, text: issue.diagnostics }))
  if (issues.some(isError)) return toOutcome(issues)
  return toOutcome([{ severity: 'information', code: 'informational', diagnostics: ok, text: ok }, ...issues])
}
