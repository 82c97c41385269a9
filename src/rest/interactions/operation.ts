/** Operations at system, type and instance level: https://hl7.org/fhir/R4/operations.html. */

import type { ClinicAccess } from '../../core/context.ts'
import type { Operation } from '../../core/operation.ts'
import { absent } from '../../core/present.ts'
import { Searchset } from '../../core/searchset.ts'
import { FhirError, notFound, toOutcome } from '../../fhir/outcome.ts'
import { readInput } from '../../operations/input.ts'
import { writeOutput } from '../../operations/output.ts'
import { isTransportParameter } from '../../search/query/result-parameters.ts'
import { bundleText, outcomeEntry, pageLinks, searchEntry } from '../message/bundle-writer.ts'
import type { InteractionRequest, InteractionResponse, Route } from '../message/interaction.ts'

/** @throws FhirError 404 when the type has no such operation, 400 naming each parameter at fault. */
export async function runOperation(
  access: ClinicAccess,
  code: string,
  { level, method }: Pick<Route, 'level' | 'method'>,
  request: InteractionRequest,
): Promise<InteractionResponse> {
  const { type, id, versionId, services } = request
  const operation = findOperation(request, code, level)
  if (method === 'GET' && operation.definition.affectsState === true) {
    throw new FhirError(
      405,
      { code: 'not-supported', diagnostics: `$${code} changes data, so it is called with POST` },
      { allow: 'POST' },
    )
  }
  const input = readInput(operation.definition, request.body, request.query)
  const output = await operation.handler({
    access,
    input,
    ...(type === '' ? {} : { type }),
    ...(id === '' ? {} : { id }),
    ...(versionId === '' ? {} : { version: versionOf(request) }),
    base: request.base,
    paging: pagingOf(request),
    integrations: services.integrations,
  })
  const text =
    output instanceof Searchset
      ? searchsetText(output, request, code)
      : JSON.stringify(writeOutput(operation.definition, output))
  return { status: 200, text, kind: 'read' }
}

/** @throws FhirError 404, as a read of such a version is */
function versionOf({ type, id, versionId }: InteractionRequest): number {
  if (/^\d{1,15}$/.test(versionId)) return Number(versionId)
  throw absent(type, `${id}/_history/${versionId}`)
}

function pagingOf({ query, services: { limits } }: InteractionRequest) {
  const cursor = query.get('_cursor')
  return {
    maxCount: limits.maxCount,
    mostIncluded: limits.includes,
    ...(cursor === null ? {} : { cursor }),
  }
}

/** A page that was asked for with Parameters goes on with a GET. */
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

/** @throws FhirError 404 naming the operations there are. */
export function findOperation(
  { type, versionId, services }: Pick<InteractionRequest, 'type' | 'versionId' | 'services'>,
  code: string,
  level: Route['level'],
): Operation {
  const operations = level === 'system' ? services.systemOperations : (services.providers.get(type)?.operations ?? [])
  const possible = operations.filter(
    ({ definition, onVersions }) => definition[level] && (versionId === '' || onVersions),
  )
  const operation = possible.find((candidate) => candidate.code === code)
  if (operation !== undefined) return operation
  const offered = possible.map((candidate) => `$${candidate.code}`)
  const where = { system: 'the system', type: `${type} at type level`, instance: `a ${type}` }[level]
  throw notFound(
    `There is no operation $${code} on ${versionId === '' ? where : `a version of ${where}`}${offered.length === 0 ? '' : `; it has ${offered.join(', ')}`}`,
  )
}
