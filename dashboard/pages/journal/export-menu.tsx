/** Files of what is filtered. */
import { Button, Menu } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type ExchangeFilters, type ExportFormat, exportExchanges } from '../../api/exchanges.ts'
import { useClinic } from '../../parts/clinic-context.tsx'
import { download } from '../../parts/download.ts'
import { Icon } from '../../parts/icon.tsx'
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
      <Menu position="bottom-end">
        <Menu.Target>
          <Button size="xs" variant="default" leftSection={<Icon name="download" size={14} />} loading={file.isPending}>
            Export
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {FORMATS.map(({ format, label }) => (
            <Menu.Item key={format} onClick={() => file.mutate(format)}>
              {label}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
      {file.error !== null && <ErrorView error={file.error} />}
    </>
  )
}
