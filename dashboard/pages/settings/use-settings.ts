/** The form of the settings. */
import { notifications } from '@mantine/notifications'
import { useQueryClient } from '@tanstack/react-query'
import { problemsIn, readSettings, type TaggedSettings, writeSettings } from '../../api/clinic-settings.ts'
import { useVersionedForm } from '../../parts/use-versioned-form.ts'

export function useSettings(clinic: string, first: TaggedSettings) {
  const client = useQueryClient()
  return useVersionedForm(first, {
    valueIn: ({ settings }: TaggedSettings): TaggedSettings['settings'] => settings,
    write: (settings, { tag }) => writeSettings(clinic, { settings, tag }),
    read: () => readSettings(clinic),
    problemsOf: problemsIn,
    onSaved: () => {
      notifications.show({ message: 'The settings are saved.', autoClose: 4000 })
      void client.invalidateQueries({ queryKey: ['clinic', clinic] })
    },
  })
}
