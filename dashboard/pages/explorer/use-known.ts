/** The types, elements and codes that the server has, for templates and suggestions. */
import type { CapabilityStatement } from 'fhir/r4'
import { useMemo } from 'react'
import { type Definitions, useDefinitions } from '../../api/definitions.ts'
import { operationExample } from '../../fhir/operation-example.ts'
import { type Known, templateOf } from '../../fhir/template.ts'
import { operationAt, typesIn } from './offers.ts'

export function useKnown(statement: CapabilityStatement): Known {
  const definitions = useDefinitions()
  return useMemo(() => ({ ...definitions, types: typesIn(statement) }), [definitions, statement])
}

/** @returns a body for a request, see `bodyFor` */
export function useBodies(
  statement: CapabilityStatement,
): (request: Addressed, fill: string) => Promise<object | undefined> {
  const known = useKnown(statement)
  const { operation } = useDefinitions()
  return (request, fill) => bodyFor(request, fill, { statement, known, operation })
}

interface Addressed {
  readonly method: string
  readonly path: string
}

interface Filling extends Pick<Definitions, 'operation'> {
  readonly statement: CapabilityStatement
  readonly known: Known
}

/**
 * A body for the request: the parameters of an operation, the template of a type with the id of the address, a patch that
 * changes nothing, or a Bundle of one read.
 * @returns undefined where there is none
 */
async function bodyFor(
  { method, path }: Addressed,
  fill: string,
  { statement, known, operation }: Filling,
): Promise<object | undefined> {
  const [address = ''] = path.split('?', 1)
  const [type = '', id = ''] = address.replace(/^\/+/, '').split('/')
  if (type === '') return bundleOf(fill === 'transaction' ? 'transaction' : 'batch')
  if (method === 'PATCH') return [{ op: 'test', path: '/resourceType', value: type }]
  const called = operationAt(statement, address)
  if (called !== undefined) {
    const definition = await operation(called)
    return definition && operationExample(definition, type, known)
  }
  const template = await templateOf(type, known)
  if (template === undefined || id === '' || /[{}$]/.test(id)) return template
  const { resourceType, ...elements } = template as { readonly resourceType: string }
  return { resourceType, id, ...elements }
}

const bundleOf = (type: string): object => ({
  resourceType: 'Bundle',
  type,
  entry: [{ request: { method: 'GET', url: 'Patient?_count=1' } }],
})
