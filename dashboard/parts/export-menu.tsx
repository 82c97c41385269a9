/** Files of what a list shows, in the formats that there are. */
import { useMutation } from '@tanstack/react-query'
import { ActionList } from './action-list.tsx'
import { useClinic } from './clinic-context.tsx'
import { download } from './download.ts'
import { ErrorView } from './page-states.tsx'

interface ExportMenuProps<Format extends string> {
  /** Begins the name of a file, before that of the clinic. */
  readonly name: string
  /** By format, which ends the name of a file. */
  readonly labels: Readonly<Record<Format, string>>
  readonly read: (format: Format) => Promise<Blob>
}

export function ExportMenu<Format extends string>({ name, labels, read }: ExportMenuProps<Format>) {
  const { id } = useClinic()
  const file = useMutation({
    mutationFn: async (format: Format) => download(`${name}-${id}.${format}`, await read(format)),
  })
  const formats = Object.keys(labels) as Format[]
  return (
    <>
      <ActionList
        label="Export"
        icon="download"
        isBusy={file.isPending}
        actions={formats.map((format) => ({ label: labels[format], run: () => file.mutate(format) }))}
      />
      {file.error !== null && <ErrorView error={file.error} />}
    </>
  )
}
