/** Operations at system, type and instance level: https://hl7.org/fhir/R4/operations.html. */

import type { ClinicAccess } from '../../core/context.ts'
import {
  Accepted,
  type Operation,
  type OperationHandler,
  type OperationOutput,
  Searchset,
} from '../../core/operation.ts'
import { checkPrecondition } from '../../core/precondition.ts'
import { notFoundError } from '../../core/provider.ts'
import { writeJson } from '../../fhir/json.ts'
import { FhirError, notFound, toOutcome } from '../../fhir/outcome.ts'
import { present } from '../../fhir/resource.ts'
import { notAllowed } from '../../http/side-router.ts'
import { ignoredParameters, readInput, writeOutput } from '../../operations/parameters.ts'
import { isTransportParameter } from '../../search/query/result-parameters.ts'
import { bundleText, outcomeEntry, pageLinks, searchEntry } from '../message/bundle-writer.ts'
import { preconditionOf } from '../message/entity-tag.ts'
import type { InteractionRequest, InteractionResponse, Route, Services } from '../message/interaction.ts'

/** @throws FhirError 404 when the type has no such operation, 405, 400 naming each parameter at fault. */
export async function runOperation(
  access: ClinicAccess,
  code: string,
  { level, method }: Pick<Route, 'level' | 'method'>,
  request: InteractionRequest,
): Promise<InteractionResponse> {
  const { type, id, versionId, services } = request
  const operation = findOperation(request, code, level)
  const handler = handlerFor(operation, method)
  const isLenient = operation.isInBackground && request.handling === 'lenient'
  const input = readInput(operation.definition, request.body, request.query, isLenient)
  const patients = new Set<string>()
  const output = await handler({
    access: id === '' ? access : onMatchingVersion(access, request),
    input,
    ...(type === '' ? {} : { type }),
    ...(id === '' ? {} : { id }),
    ...(versionId === '' ? {} : { version: versionOf(request) }),
    base: request.base,
    ...present({ url: request.url }),
    prefersAsync: request.prefersAsync === true,
    isLenient,
    ...(isLenient ? { ignored: ignoredParameters(operation.definition, request.body, request.query) } : {}),
    paging: pagingOf(request),
    integrations: services.integrations,
    tellPatient: (patient) => patients.add(patient),
  })
  return { ...responseOf(output, operation, request), patients: [...patients] }
}

function responseOf(output: OperationOutput, operation: Operation, request: InteractionRequest): InteractionResponse {
  if (output instanceof Searchset) {
    const { matches, included } = output.page
    return {
      status: 200,
      text: searchsetText(output, request, operation.code),
      about: [...matches, ...included],
      kind: 'read',
    }
  }
  if (output instanceof Accepted) return accepted(output, request, operation)
  return { status: 200, text: writeJson(writeOutput(operation.definition, output)), kind: 'read' }
}

/**
 * If-Match on an operation on a resource, as on its update: the change is made on that version, or 412. It holds for
 * operations that write the resource: one that writes it meanwhile makes the change run again.
 */
function onMatchingVersion(access: ClinicAccess, request: InteractionRequest): ClinicAccess {
  const { type, id, ifMatch } = request
  if (ifMatch === undefined) return access
  const precondition = preconditionOf({ ifMatch })
  return {
    ...access,
    change: (work, options) =>
      access.change(async (ctx) => {
        checkPrecondition(await ctx.unit.read(type, id), precondition, `${type}/${id}`)
        return await work(ctx)
      }, options),
  }
}

/** @throws FhirError 404 or 405, as runOperation */
export function checkOperation(
  request: Pick<InteractionRequest, 'type' | 'versionId' | 'services'>,
  code: string,
  { level, method }: Pick<Route, 'level' | 'method'>,
): Operation {
  const operation = findOperation(request, code, level)
  handlerFor(operation, method)
  return operation
}

/** @throws FhirError 405 for a method that the operation does not have */
function handlerFor(
  { code, definition, handler, cancel, isInBackground }: Operation,
  method: Route['method'],
): OperationHandler {
  const methods = definition.affectsState === true ? ['POST'] : ['GET', 'POST']
  if (method === 'DELETE') {
    if (cancel !== undefined) return cancel
    const why = isInBackground
      ? ', whose job is ended by DELETE of its own address'
      : ', which does not work in the background'
    throw notAllowed({ method, path: `$${code}` }, methods, why)
  }
  if (methods.includes(method)) return handler
  throw notAllowed({ method, path: `$${code}` }, methods, ', which changes data')
}

/** 202, where it has a state with where to read it: https://hl7.org/fhir/R4/async.html. */
function accepted(
  { answer, state }: Accepted,
  { base, type, id }: InteractionRequest,
  { code, definition }: Operation,
): InteractionResponse {
  const response = { status: 202, text: JSON.stringify(writeOutput(definition, answer)), kind: 'read' } as const
  if (state === undefined) return response
  const own = () => [base, type, id, `$${code}`].filter(Boolean).join('/')
  const headers = {
    'Content-Location': state.address ?? `${own()}?${new URLSearchParams(state.query)}`,
    'X-Progress': state.progress,
    'Retry-After': String(state.retryAfterSeconds),
  }
  return { ...response, headers }
}

/** @throws FhirError 404, as a read of such a version is */
function versionOf({ type, id, versionId }: InteractionRequest): number {
  if (/^\d{1,15}$/.test(versionId)) return Number(versionId)
  throw notFoundError(type, `${id}/_history/${versionId}`)
}

function pagingOf({ query, services: { limits } }: InteractionRequest) {
  const cursor = query.get('_cursor')
  return {
    maxCount: limits.maxCount,
    mostIncluded: limits.includes,
    ...(cursor === null ? {} : { cursor }),
  }
}

/** A page of an operation called with Parameters; its links continue with GET. */
function searchsetText({ page }: Searchset, { base, type, id, query }: InteractionRequest, code: string): string {
  const { matches, included, total, next, warnings } = page
  const used = [...page.used, ...[...query].filter(([name]) => isTransportParameter(name))]
  const path = [base, type, id, `$${code}`].filter(Boolean).join('/')
  return bundleText({ type: 'searchset', total, links: pageLinks(path, used, next) }, [
    ...matches.map((match) => searchEntry(base, match, match.text, 'match')),
    ...included.map((one) => searchEntry(base, one, one.text, 'include')),
    ...(warnings.length === 0 ? [] : [outcomeEntry(toOutcome(warnings))]),
  ])
}

/** A Group is exported by its id; other types have no export of their own. */
const noExportHere = (type: string): FhirError => {
  const where = 'An export is $export for all data, Patient/$export, or Group/[id]/$export'
  const diagnostics = `${where}; ${type === 'Group' ? 'name the Group' : 'name types by _type'}`
  return new FhirError(type === 'Group' ? 400 : 404, { code: 'not-supported', diagnostics })
}

/** The operations of a resource type, or of the system, that are called at one level. */
export function operationsAt(
  level: Route['level'],
  { type, versionId }: Pick<InteractionRequest, 'type' | 'versionId'>,
  { providers, systemOperations }: Pick<Services, 'providers' | 'systemOperations'>,
): readonly Operation[] {
  const operations = level === 'system' ? systemOperations : (providers.get(type)?.operations ?? [])
  return operations.filter(({ definition, onVersions }) => definition[level] && (versionId === '' || onVersions))
}

/** @throws FhirError 404 naming the operations there are, or what to do instead. */
export function findOperation(
  { type, versionId, services }: Pick<InteractionRequest, 'type' | 'versionId' | 'services'>,
  code: string,
  level: Route['level'],
): Operation {
  const possible = operationsAt(level, { type, versionId }, services)
  const operation = possible.find((candidate) => candidate.code === code)
  if (operation !== undefined) return operation
  if (code === 'export') throw noExportHere(type)
  const offered = possible.map((candidate) => `$${candidate.code}`)
  const where = { system: 'the system', type: `${type} at type level`, instance: `a ${type}` }[level]
  throw notFound(
    `There is no operation $${code} on ${versionId === '' ? where : `a version of ${where}`}${offered.length === 0 ? '' : `; it has ${offered.join(', ')}`}`,
  )
}
