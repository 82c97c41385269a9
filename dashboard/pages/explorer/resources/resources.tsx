/** Resources of any type: a list with the columns of the type, and one of them as a form. */
import type { CapabilityStatement } from 'fhir/r4'
import { lazy, Suspense } from 'react'
import { useFilters } from '../../../parts/filters.ts'
import { Loading } from '../../../parts/page-states.tsx'
import { isOffered } from '../offers.ts'
import { ResourceList } from './resource-list.tsx'

const ResourcePage = lazy(async () => ({ default: (await import('./resource-page.tsx')).ResourcePage }))
const NewResourcePage = lazy(async () => ({ default: (await import('./resource-page.tsx')).NewResourcePage }))

export function Resources({ statement }: { readonly statement: CapabilityStatement }) {
  const [{ type, id, new: isNew }] = useFilters({ type: 'Patient', id: '', new: '' })
  const may = (code: string): boolean => isOffered(statement, type, code)
  if (isNew === 'yes' && may('create') && may('update'))
    return (
      <Suspense fallback={<Loading rows={8} />}>
        <NewResourcePage key={type} statement={statement} type={type} />
      </Suspense>
    )
  if (id === '' || !may('read')) return <ResourceList statement={statement} />
  return (
    <Suspense fallback={<Loading rows={8} />}>
      <ResourcePage key={`${type}/${id}`} statement={statement} type={type} id={id} />
    </Suspense>
  )
}
