/** Files of what is filtered. */
import { useMutation } from '@tanstack/react-query'
import { type ExchangeFilters, type ExportFormat, exportExchanges } from '../../api/exchanges.ts'
import { ActionList } from '../../parts/action-list.tsx'
import { useClinic } from '../../parts/clinic-context.tsx'
import { download } from '../../parts/download.ts'
import { ErrorView } from '../../parts/page-states.tsx'

const FORMATS: readonly { readonly format: ExportFormat; readonly label: string }[] = [
  { format: 'har', label: 'HAR: the newest 1,000, with bodies' },
  { format: 'ndjson', label: 'NDJSON: the newest 1,000, with bodies' },
  { format: 'csv', label: 'CSV: the newest 10,000, without bodies' },
]

export function ExportMenu({ filtersNow }: { readonly filtersNow: () => ExchangeFilters }) {
  const { id } = useClinic()
  const file = useMutation({
    mutationFn: async (format: ExportFormat) => {
      download(`requests-${id}.${format}`, await exportExchanges(id, filtersNow(), format))
    },
  })
  return (
    <>
      <ActionList
        label="Export"
        icon="download"
        isBusy={file.isPending}
        actions={FORMATS.map(({ format, label }) => ({ label, run: () => file.mutate(format) }))}
      />
      {file.error !== null && <ErrorView error={file.error} />}
    </>
  )
}
