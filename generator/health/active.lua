-- An inactive queue admits nothing, an inactive check stops every queue that names it, and Argo CD would call both
-- healthy. Stopped is what somebody asked for.
hs = {status = "Progressing", message = "waiting for Kueue"}
for _, condition in ipairs((obj.status or {}).conditions or {}) do
  if condition.type == "Active" then
    local seen = condition.observedGeneration
    if seen ~= nil and seen < obj.metadata.generation then
      hs.message = "waiting for Kueue to see the change"
    elseif condition.status == "True" then
      hs.status = "Healthy"
      hs.message = ""
    elseif condition.reason == "Stopped" then
      hs.status = "Suspended"
      hs.message = condition.message or "stopped"
    else
      hs.status = "Degraded"
      hs.message = condition.message or condition.reason or "inactive"
    end
  end
end
return hs
