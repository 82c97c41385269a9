/** Resources of any type: a list with the columns of the type, and one of them as a form. */
import type { CapabilityStatement } from 'fhir/r4'
import { lazy, Suspense } from 'react'
import { useFilters } from '../../../parts/filters.ts'
import { Loading } from '../../../parts/page-states.tsx'
import { isOffered, resourceOf } from '../offers.ts'
import { ResourceList } from './resource-list.tsx'

const ResourcePage = lazy(async () => ({ default: (await import('./resource-page.tsx')).ResourcePage }))

export function Resources({ statement }: { readonly statement: CapabilityStatement }) {
  const [{ type, id }] = useFilters({ type: 'Patient', id: '' })
  const isKnown = resourceOf(statement, type) !== undefined
  if (id === '' || !isKnown || !isOffered(statement, type, 'read')) return <ResourceList statement={statement} />
  return (
    <Suspense fallback={<Loading rows={8} />}>
      <ResourcePage key={`${type}/${id}`} statement={statement} type={type} id={id} />
    </Suspense>
  )
}
