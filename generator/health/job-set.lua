-- Kueue suspends a JobSet until it is admitted.
hs = {status = "Progressing", message = "running"}
for _, condition in ipairs((obj.status or {}).conditions or {}) do
  if condition.status == "True" then
    if condition.type == "Failed" then
      hs.status = "Degraded"
      hs.message = condition.message or "failed"
      return hs
    elseif condition.type == "Completed" then
      hs.status = "Healthy"
      hs.message = condition.message or "completed"
      return hs
    elseif condition.type == "Suspended" then
      hs.status = "Suspended"
      hs.message = condition.message or "waiting for quota"
    end
  end
end
return hs
